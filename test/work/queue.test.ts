// What the queue of workers may do to messages, and what may be named as a git remote. Both are pure.
import { describe, expect, it } from "vitest";
import { isRemote } from "../../src/core/machines/remote.ts";
import { Conversation } from "../../src/orders/carriers/conversation.ts";
import { Ordered } from "../../src/queue/messages.ts";

describe("messages of a worker", () => {
  it("U5 are read in their order and once, however they come", () => {
    const ordered = new Ordered<{ readonly number: number }>();
    const read = [1, 0, 0, 3, 1, 2, 3].flatMap((number) =>
      ordered.add({ number }).map((each) => each.number),
    );
    expect(read).toEqual([0, 1, 2, 3]);
  });

  it("U5 X17 that come twice, or after the last one, say nothing new", async () => {
    const conversation = new Conversation("w1", "an order");
    const say = (number: number, line: string, last?: true) =>
      conversation.hear({ order: "an order", number, lines: [line], ...(last && { last }) });
    say(0, "one");
    say(0, "one again");
    say(1, "two", true);
    say(1, "another two", true);
    expect([await conversation.next(), await conversation.next(), await conversation.next()]).toEqual([
      "one",
      "two",
      undefined,
    ]);
    expect(conversation.isAnswered).toBe(true);
  });

  it("U5 end with a reason where the worker is gone, after what it had said", async () => {
    const conversation = new Conversation("w1", "an order");
    conversation.hear({ order: "an order", number: 0, lines: ["begins"] });
    conversation.end("it showed no sign of life for 12 s");
    expect([await conversation.next(), await conversation.next()]).toEqual(["begins", undefined]);
    expect(conversation.why).toBe("it showed no sign of life for 12 s");
    expect(conversation.isAnswered).toBe(false);
  });
});

describe("a git remote", () => {
  it.each([
    "/srv/git/shop.git",
    "file:///srv/git/shop.git",
    "git@git.example.org:shop.git",
    "host:team/shop.git",
    "ssh://git@host:2222/shop.git",
    "https://git.example.org/shop.git",
  ])("U5 may be %s", (text) => expect(isRemote(text)).toBe(true));

  it.each([
    "",
    "shop.git",
    "--upload-pack=touch /tmp/x",
    "-oProxyCommand=x:y",
    "ext::sh -c whoami",
    "fd::7",
    "ssh://-oProxyCommand=x/shop",
    "git@-oProxyCommand=x:shop",
    "https://ada:secret@git.example.org/shop.git",
    "http://git.example.org/shop.git",
    "git://git.example.org/shop.git",
    "/srv/git/a b",
  ])("G9 is never %s", (text) => expect(isRemote(text)).toBe(false));
});
