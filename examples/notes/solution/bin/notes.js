#!/usr/bin/env node
import { main } from "../src/cli.js";
import { report } from "../src/failure.js";

const { stdout, stderr, env } = process;
try {
  process.exitCode = await main(process.argv.slice(2), { stdout, env, now: () => new Date() });
} catch (error) {
  process.exitCode = report(error, stderr);
}
