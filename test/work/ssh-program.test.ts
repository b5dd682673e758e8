// What reaches ssh and another machine's shell, and what ssh's end means.
import { expect, it } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { sshArguments, whyEnded } from "../../src/orders/carriers/ssh-program.ts";

const problemsOf = (hosts: unknown) =>
  parseConfig("config.json", JSON.stringify({ hosts })).problems.map(({ message }) => message);

it("U5 the host stands behind `--`, and the command is one fixed word with its path", () => {
  const words = sshArguments({ ssh: "ada@build-2", heddle: "/opt/heddle/bin/heddle" });
  expect(words.slice(-3)).toEqual(["--", "ada@build-2", "/opt/heddle/bin/heddle carry --machine"]);
  for (const option of ["BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ForwardAgent=no"])
    expect(words).toContain(option);
});

it.each([
  ["-oProxyCommand=touch /tmp/x"],
  ["-J"],
  ["host name"],
  ["host;reboot"],
  ["$(reboot)"],
  ["a@-b"],
  ["user@`id`"],
  [""],
  ["host\nnext"],
])("U5 refuses %j as a host", (ssh) => {
  expect(problemsOf([{ ssh }])).toHaveLength(1);
});

it.each(["heddle; reboot", "-x", "a b", "$(id)", "`id`", "a|b", "a&b", "a>b", "'a'"])(
  "U5 refuses %j as heddle's path there",
  (heddle) => {
    expect(problemsOf([{ ssh: "build-2", heddle }])).toHaveLength(1);
  },
);

it("U5 takes names of ssh's configuration, users, addresses and plain paths", () => {
  const hosts = [
    { here: true, slots: 0, labels: ["mac"] },
    { ssh: "build-2", slots: 6, labels: ["gpu"] },
    { ssh: "ada@fe80::1", heddle: "~/.local/bin/heddle", folder: "/scratch/my heddle" },
    { ssh: "10.0.0.7" },
  ];
  expect(problemsOf(hosts)).toEqual([]);
});

it("U5 says of each unclear host what is wrong with it", () => {
  expect(problemsOf([{ slots: 1 }])).toEqual(["a host is either `ssh` or `here`"]);
  expect(problemsOf([{ ssh: "a" }, { ssh: "a", slots: 1 }])).toEqual(["`a` is named twice"]);
  expect(problemsOf([{ here: true, heddle: "/x" }])).toEqual([
    "`heddle` and `folder` are settings of another machine",
  ]);
});

it("U5 says in a sentence why a machine could not be reached", () => {
  const said = (code: number | null, errors: string) => whyEnded(code, errors, { heddle: "heddle" });
  expect(said(255, "ssh: connect to host b port 22: Connection refused\n")).toBe(
    "ssh could not reach it: ssh: connect to host b port 22: Connection refused",
  );
  expect(said(127, "sh: 1: heddle: not found\n")).toContain("`heddle` is not on the PATH");
  expect(said(255, "")).toBe("the connection was lost");
  expect(said(64, "error: `--machine` is not a flag\n")).toContain("heddle there ended with 64");
});
