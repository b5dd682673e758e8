// `heddle completion`: what the scripts offer, tried in the shells that are there.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { folder, heddle } from "./desk.ts";

const script = async (shell: string) => (await heddle(["completion", shell])).out;
const commands: { name: string; flags?: Record<string, unknown> }[] = JSON.parse(
  (await heddle(["help", "--json"])).out,
);
const named = (first: string) =>
  commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(" ")[1]);

/** What bash would offer for these words, the last of which is being typed. */
async function offered(...words: readonly string[]): Promise<string[]> {
  const program = `${await script("bash")}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _heddle; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["-c", program, "bash", ...words], {
    encoding: "utf8",
    cwd: folder(),
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").filter((line) => line !== "");
}

const has = (shell: string) => spawnSync(shell, ["-c", "true"]).error === undefined;

describe("bash", () => {
  it("offers the first words that begin so", async () => {
    expect((await offered("heddle", "st")).toSorted()).toEqual(["state", "status"]);
  });

  it("offers every command at the first word", async () => {
    const first = new Set(commands.map(({ name }) => name.split(" ")[0]));
    expect(new Set(await offered("heddle", ""))).toEqual(first);
  });

  it("offers every second word of `state`", async () => {
    expect(new Set(await offered("heddle", "state", ""))).toEqual(new Set(named("state")));
    expect(await offered("heddle", "state", "check")).toEqual(["check-halt", "checkpoint"]);
  });

  it("offers the choices of a first argument, and flags", async () => {
    expect(await offered("heddle", "state", "validate", "cap")).toEqual(["capability_map"]);
    expect(await offered("heddle", "state", "checkpoint", "re")).toEqual(["recover"]);
    expect(await offered("heddle", "state", "fail-task", "T001", "--re")).toEqual(["--retryable"]);
    expect(await offered("heddle", "status", "--w")).toEqual(["--watch"]);
    expect(await offered("heddle", "completion", "")).toEqual(
      expect.arrayContaining(["bash", "zsh", "fish"]),
    );
  });

  it("offers files where nothing else fits", async () => {
    expect(await offered("heddle", "backup", "/etc/hostnam")).toEqual(["/etc/hostname"]);
  });

  it("is registered for the command", async () => {
    expect(
      spawnSync("bash", ["-c", `${await script("bash")}\ncomplete -p heddle`], { encoding: "utf8" }).stdout,
    ).toBe("complete -F _heddle heddle\n");
  });
});

describe("zsh", () => {
  it("begins as zsh wants it and is sound as a script", async () => {
    const text = await script("zsh");
    expect(text).toMatch(/^#compdef heddle\n/);
    expect(text).toMatch(/bashcompinit/);
    const shell = has("zsh") ? "zsh" : "bash";
    expect(spawnSync(shell, ["-n"], { input: text, encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });
});

describe("fish", () => {
  it("has nothing but completions of heddle, each soundly quoted", async () => {
    const lines = (await script("fish")).trimEnd().split("\n");
    for (const line of lines.filter((each) => !each.startsWith("#"))) {
      expect(line).toMatch(/^complete -c heddle /);
      // In fish, single quotes end at the next one that is not escaped.
      expect(line.replaceAll(/'(?:[^'\\]|\\.)*'/g, "")).not.toMatch(/['"$();|&`]/);
    }
    if (has("fish")) expect(spawnSync("fish", ["-n"], { input: lines.join("\n") }).status).toBe(0);
  });

  it("names every command and every flag", async () => {
    const text = await script("fish");
    for (const { name, flags = {} } of commands) {
      expect(text).toMatch(new RegExp(`^complete -c heddle .* -a ${name.split(" ").at(-1)} `, "m"));
      for (const flag of Object.keys(flags)) expect(text).toMatch(new RegExp(` -l ${flag} `));
    }
  });
});
