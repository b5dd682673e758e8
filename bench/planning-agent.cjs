#!/usr/bin/env node
// An agent that does the example's work: it copies what its role should make. HEDDLE_OUTPUT and HEDDLE_ROLE say where and
// what; the bundle's path is the last word.
const fs = require("node:fs");
const path = require("node:path");

const bundle = JSON.parse(fs.readFileSync(process.argv.at(-1), "utf8"));
const out = process.env.HEDDLE_OUTPUT;
const example = process.argv[2];
const made = {
  "logic-architect": "artifacts/capability-map.json",
  "physical-architect": "artifacts/physical-map.json",
  "task-plan-verifier": "artifacts/task-validation.json",
}[process.env.HEDDLE_ROLE];

function put(from, to) {
  fs.writeFileSync(to, fs.readFileSync(from, "utf8").replaceAll("@TARGET@", bundle.target_dir));
}

if (made) put(path.join(example, made), out);
else {
  fs.mkdirSync(out, { recursive: true });
  const tasks = bundle.role === "plan-auditor" ? bundle.inputs.tasks.path : path.join(example, "tasks");
  for (const name of fs.readdirSync(tasks)) put(path.join(tasks, name), path.join(out, name));
}
