// `heddle completion`: what the scripts offer, tried in the shells that are there.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder, heddle } from "./desk.ts";

const script = async (shell: string) => (await heddle(["completion", shell])).out;
const commands: { name: string; flags?: Record<string, unknown> }[] = JSON.parse(
  (await heddle(["help", "--json"])).out,
);
const named = (first: string) =>
  commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(" ")[1]);

const has = (shell: string) => spawnSync(shell, ["-c", "true"]).error === undefined;
const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

/** Types the words into a shell, the last of which is being typed, and answers with what it offers. */
type Offer = (...words: readonly string[]) => Promise<string[]>;

const bash: Offer = async (...words) => {
  const program = `${await script("bash")}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _heddle; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["-c", program, "bash", ...words], {
    encoding: "utf8",
    cwd: folder(),
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return linesOf(stdout);
};

/**
 * In a real interactive zsh on a terminal of its own (zpty): the words are typed, Tab is pressed, and whatever is handed
 * to `compadd` is written down; then that zsh ends.
 */
const capture = String.raw`zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT=; cd $PLACE; $SETUP"
zpty -w z 'compadd() {
  if [[ ${"$"}{@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits; builtin compadd -A hits "$@"; print -rl -- $hits >> hits
  builtin compadd "$@"
}'
zpty -w z 'comppostfuncs=( exit )'
zpty -w z 'bindkey "^I" complete-word'
zpty -n -w z "$1"$'\t'
while zpty -r z line; do :; done`;

async function zshWith(setup: string, words: readonly string[]): Promise<string[]> {
  const place = folder();
  writeFileSync(join(place, "_heddle"), await script("zsh"));
  const { error } = spawnSync("zsh", ["-f", "-c", capture, "zsh", words.join(" ")], {
    env: { ...process.env, PLACE: place, SETUP: setup, HOME: place },
    timeout: 180_000,
  });
  expect(error).toBeUndefined();
  const hits = join(place, "hits");
  return existsSync(hits) ? linesOf(readFileSync(hits, "utf8")) : [];
}

const zsh: Offer = (...words) => zshWith("autoload -U compinit && compinit -u -D; source ./_heddle", words);

const fish: Offer = async (...words) => {
  const program = `${await script("fish")}\ncomplete -C ${JSON.stringify(words.join(" "))}`;
  const home = folder();
  const { stdout, stderr, status } = spawnSync("fish", ["--no-config", "-c", program], {
    encoding: "utf8",
    cwd: home,
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return linesOf(stdout).map((line) => line.split("\t")[0] ?? "");
};

/** A shell that is not there leaves its tests out, by name. */
const shells: Readonly<Record<string, Offer>> = { bash, zsh, fish };

const groups = Object.entries(shells).map(([shell, offered]) => ({ shell, offered }));

describe.each(groups)("$shell (left out without $shell)", ({ shell, offered }) => {
  const there = { skip: !has(shell), timeout: 60_000 };

  it("offers the first words that begin so", there, async () => {
    expect((await offered("heddle", "st")).toSorted()).toEqual(["state", "status"]);
  });

  it("offers every command at the first word", there, async () => {
    const first = new Set(commands.map(({ name }) => name.split(" ")[0]));
    expect(new Set(await offered("heddle", ""))).toEqual(first);
  });

  it("offers every second word of `state`", there, async () => {
    expect(new Set(await offered("heddle", "state", ""))).toEqual(new Set(named("state")));
    expect((await offered("heddle", "state", "check")).toSorted()).toEqual(["check-halt", "checkpoint"]);
  });

  it("offers the choices of a first argument", there, async () => {
    expect(await offered("heddle", "state", "validate", "cap")).toEqual(["capability_map"]);
    expect(await offered("heddle", "state", "checkpoint", "re")).toEqual(["recover"]);
    expect(await offered("heddle", "completion", "")).toEqual(
      expect.arrayContaining(["bash", "zsh", "fish"]),
    );
  });

  it("offers flags, those of every command included, and none of another's", there, async () => {
    expect(await offered("heddle", "state", "fail-task", "T001", "--re")).toEqual(["--retryable"]);
    expect(await offered("heddle", "status", "--w")).toEqual(["--watch"]);
    expect(await offered("heddle", "state", "status", "--js")).toEqual(["--json"]);
    expect(await offered("heddle", "state", "status", "--w")).not.toContain("--watch");
  });

  it("offers files where nothing else fits", there, async () => {
    expect((await offered("heddle", "backup", "/etc/hostnam")).join()).toMatch(/hostname$/);
  });
});

describe("bash", () => {
  it("is registered for the command", async () => {
    expect(
      spawnSync("bash", ["-c", `${await script("bash")}\ncomplete -p heddle`], { encoding: "utf8" }).stdout,
    ).toBe("complete -F _heddle heddle\n");
  });
});

describe("zsh", () => {
  it("begins as zsh wants it", async () => {
    expect(await script("zsh")).toMatch(/^#compdef heddle\n/);
  });

  it("works as a file in $fpath from the first Tab on (left out without zsh)", {
    skip: !has("zsh"),
    timeout: 180_000,
  }, async () => {
    const setup = "fpath=($PWD $fpath); autoload -U compinit && compinit -u -D";
    expect(await zshWith(setup, ["heddle", "state", "check-"])).toEqual(["check-halt"]);
  });
});

describe("fish", () => {
  it("names every command and every flag", async () => {
    const text = await script("fish");
    for (const { name, flags = {} } of commands) {
      expect(text).toMatch(new RegExp(`^complete -c heddle .* -a ${name.split(" ").at(-1)} `, "m"));
      for (const flag of Object.keys(flags)) expect(text).toMatch(new RegExp(` -l ${flag} `));
    }
  });
});
