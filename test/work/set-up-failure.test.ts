// A set-up that failed, in one sentence: which of its lines is told, and what helps.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { EndedCommand } from "../../src/work/run-command.ts";
import { setUpFailure, tellingLine } from "../../src/work/set-up/failure.ts";

function failed(
  command: string,
  { code = 1, err = "", out = "", closed = [] as EndedCommand["closed"], sandbox = {} },
) {
  const log = join(mkdtempSync(join(tmpdir(), "heddle-set-up-")), "setup");
  writeFileSync(`${log}.err`, err);
  writeFileSync(`${log}.out`, out);
  const ended = { how: { kind: "exited", code }, closed } as unknown as EndedCommand;
  const bench = { limits: {}, sandbox } as unknown as Parameters<typeof setUpFailure>[0]["bench"];
  const keep = `${log}.log`;
  return { ...setUpFailure({ command, ended, log, keep, network: true, policy: true, bench }), keep };
}

it.each([
  [
    "Updating index\nwarning: spurious\nerror: failed to get `x` as a dependency\n\nCaused by:\n  502",
    "error: failed to get `x` as a dependency",
  ],
  [
    "npm warn old\nnpm error code E404\nnpm error 404 Not Found - GET x\nnpm error A complete log",
    "npm error code E404; npm error 404 Not Found - GET x",
  ],
  [
    "java.nio.file.NoSuchFileException: /usr/share/m2.conf\n at java.base/sun.nio",
    "java.nio.file.NoSuchFileException: /usr/share/m2.conf",
  ],
  ["\u001b[31mbroken\u001b[0m\n", "broken"],
  ["", undefined],
])("X25 of what a set-up printed, the line that names the error is told: %j", (text, line) => {
  expect(tellingLine(text)).toBe(line);
});

it("X23 a set-up whose program is missing says which, and what to do", () => {
  const { message, hint } = failed("uv sync --locked", { code: 127, err: "/bin/sh: 1: uv: not found\n" });
  expect(message).toBe("set-up `uv sync --locked` cannot run: there is no program `uv` on this machine");
  expect(hint).toMatch(/^install uv; or "setup": /);
});

it("X25 the whole output of a failed set-up is kept, and a host that was closed is named", () => {
  const closed = [{ why: "not-allowed", host: "repo.example.org" }] as unknown as EndedCommand["closed"];
  const { message, hint, keep } = failed("pip install .", {
    out: "step 1\n",
    err: "ERROR: no match\n",
    closed,
  });
  expect(message).toBe(`set-up \`pip install .\` exited with code 1: ERROR: no match (whole log: ${keep})`);
  expect(hint).toContain('"network": { "setup": ["repo.example.org"] }');
  expect(readFileSync(keep, "utf8")).toBe("step 1\n\nERROR: no match\n");
});

it.each([
  "ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 502 Bad Gateway'))",
  "  [56] Failure when receiving data from the peer (CONNECT tunnel failed, response 502)",
  "Failed to open stream: Cannot connect to HTTPS server through proxy",
])("X25 a set-up whose open host gave no answer blames the network, not the settings: %s", (err) => {
  const { hint } = failed("cargo fetch", { err });
  expect(hint).toMatch(/^this machine did not reach the host: check its network, .*"setup": /);
  expect(hint).not.toContain("HTTPS_PROXY");
});
