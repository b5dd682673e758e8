// A file as a lease: who holds it on this machine is seen by its process, elsewhere by when it was touched last.
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { holdsLease } from "../../src/host/lease.ts";
import { thisProcess } from "../../src/host/program/process.ts";
import { folder } from "./programs.ts";

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

it("U5 G1 what a process of another machine left is alive by its lease, and never for ever", () => {
  const file = join(folder("lease-"), "mark");
  const elsewhere = { ...thisProcess(), host: "another-machine" };
  writeFileSync(file, "");
  expect(holdsLease(elsewhere, file)).toBe(true);
  utimesSync(file, minutesAgo(5), minutesAgo(5));
  expect(holdsLease(elsewhere, file)).toBe(true);
  utimesSync(file, minutesAgo(30), minutesAgo(30));
  expect(holdsLease(elsewhere, file)).toBe(false);
});

it("U5 G1 a process of this machine holds what it made as long as it lives, however old that is", () => {
  const file = join(folder("lease-"), "mark");
  writeFileSync(file, "");
  utimesSync(file, minutesAgo(30), minutesAgo(30));
  expect(holdsLease(thisProcess(), file)).toBe(true);
  expect(holdsLease({ ...thisProcess(), startTime: "1" }, file)).toBe(false);
});
