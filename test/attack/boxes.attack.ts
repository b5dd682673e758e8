// Every other box that is there, by the same suite as bubblewrap: containers of podman and docker here, seatbelt on a Mac. What is left out
// says so by its name.
import { afterAll, describe, expect, it } from "vitest";
import { trySeatbelt } from "../../src/host/box/seatbelt.ts";
import type { Box, Sandbox } from "../../src/host/program/sandbox.ts";
import { escapes } from "../host/escapes.ts";
import { attemptIn, canary, damage, type Host, makeHost, shownOf } from "../host/hostile.ts";
import { makeStand } from "../host/image.ts";
import { folder } from "../host/programs.ts";

const stands = [
  { engine: "podman", stand: await makeStand("podman") },
  { engine: "docker", stand: await makeStand("docker") },
];
const seatbelt = await trySeatbelt();
afterAll(() => {
  for (const { stand } of stands) if (typeof stand !== "string") stand.close();
});

const boxes: readonly { readonly name: string; readonly sandbox: Sandbox | undefined }[] = [
  ...stands.map(({ engine, stand }) =>
    typeof stand === "string"
      ? { name: `container of ${engine} (left out without ${stand})`, sandbox: undefined }
      : { name: `container of ${engine}`, sandbox: stand.container },
  ),
  seatbelt.ok
    ? { name: "seatbelt", sandbox: seatbelt }
    : { name: "seatbelt (left out without macOS)", sandbox: undefined },
];

const home = folder("home");
const boxOf = (sandbox: Sandbox, host: Host, more: Partial<Box> = {}): Box => ({
  ...shownOf(host),
  ...{ sandbox, home, network: false, ...more },
});

describe.for(boxes)("G9 no program gets out of the box: $name", ({ sandbox }) => {
  it.skipIf(!sandbox).for(escapes)("$name", async ({ script }) => {
    process.env.HEDDLE_CANARY_SECRET = canary;
    const host = makeHost();
    const printed = await attemptIn(boxOf(sandbox as Sandbox, host), host, script);
    delete process.env.HEDDLE_CANARY_SECRET;
    expect(damage(host, printed)).toEqual([]);
  });

  it.skipIf(!sandbox)("would be noticed, were the box open", async () => {
    const host = makeHost();
    const open = boxOf(sandbox as Sandbox, host, { writable: [host.workspace, host.outside] });
    const script = escapes.find(({ name }) => name === "write: an absolute path")?.script ?? "";
    expect(damage(host, await attemptIn(open, host, script))).toContain("files outside");
  });
});
