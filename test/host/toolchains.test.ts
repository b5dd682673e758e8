// Toolchains in a person's home, as far as a box shows them.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ownToolchains } from "../../src/host/program/runtime.ts";
import { fresh } from "./git-rig.ts";

it("X24 G9 a box shows the toolchains that are on the PATH, and no token that lies beside them", () => {
  const home = fresh("home");
  for (const folder of [".rustup/toolchains", ".cargo/bin", ".pyenv/shims", ".bun/bin"])
    mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, ".cargo/credentials.toml"), "token");
  const { readable, set } = ownToolchains(home, { PATH: `/usr/bin:${home}/.cargo/bin:${home}/.pyenv/shims` });
  expect(readable).toEqual([".rustup", ".cargo/bin", ".pyenv"].map((part) => join(home, part)));
  expect(set).toEqual({ RUSTUP_HOME: join(home, ".rustup"), PYENV_ROOT: join(home, ".pyenv") });
  expect(ownToolchains(home, { PATH: "/usr/bin" })).toEqual({ readable: [], set: {} });
});
