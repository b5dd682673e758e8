// What a person set for their own git and heddle keeps to: line ends, their name, which files pass through a program on
// the way. Only read: no program of any configuration runs here.
import { fields, type GitDirectory, personsEnvironment, runGitNow, runProcess } from "./git.ts";

export interface PersonsSettings {
  readonly flags: readonly string[];
  readonly isSparse: boolean;
  readonly filters: ReadonlySet<string>;
}

/** How the person wants files written to their own checkout: line ends count, programs do not. */
export async function personsSettings(gitDir: string): Promise<PersonsSettings> {
  const args = ["config", "--null", "--get-regexp", "^core\\.(autocrlf|eol|sparsecheckout)$|^filter\\..*\\."];
  const env = personsEnvironment({ args });
  const { out } = await runProcess([`--git-dir=${gitDir}`, ...args], { cwd: "/", env });
  const found = fields(out).map((field) => field.split("\n", 2) as [string, string]);
  return {
    flags: found
      .filter(([name]) => name === "core.autocrlf" || name === "core.eol")
      .flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    filters: new Set(found.flatMap(([name]) => /^filter\.(.*)\.[^.]*$/s.exec(name)?.[1] ?? [])),
    isSparse: found.some(([name, value]) => name === "core.sparsecheckout" && value === "true"),
  };
}

/** Author and committer of a commit in the person's name; without one, what git says about that. */
export async function personsIdentity(
  gitDir: string,
): Promise<{ readonly environment: Record<string, string> } | { readonly error: string }> {
  const environment: Record<string, string> = {};
  for (const role of ["AUTHOR", "COMMITTER"]) {
    const args = [`--git-dir=${gitDir}`, "var", `GIT_${role}_IDENT`];
    const { code, out, error } = await runProcess(args, { cwd: "/", env: personsEnvironment({ args }) });
    const [, name = "", email = ""] = /^([^<\n]*) <([^>\n]*)> \d+ [-+]\d+$/m.exec(out.toString("utf8")) ?? [];
    if (code !== 0) return { error };
    environment[`GIT_${role}_NAME`] = name;
    environment[`GIT_${role}_EMAIL`] = email;
  }
  return { environment };
}

export interface Person {
  readonly name: string;
  readonly email: string;
}

const persons = new Map<string, Promise<Person | undefined>>();

/** Who commits in this repository, as git would say it; nothing where git knows nobody. Asked once. */
export function personOf(gitDir: string): Promise<Person | undefined> {
  const known = persons.get(gitDir) ?? askPerson(gitDir);
  persons.set(gitDir, known);
  return known;
}

async function askPerson(gitDir: string): Promise<Person | undefined> {
  const found = await personsIdentity(gitDir);
  if ("error" in found) return undefined;
  const { GIT_COMMITTER_NAME: name = "", GIT_COMMITTER_EMAIL: email = "" } = found.environment;
  return name === "" || email === "" ? undefined : { name, email };
}

/** The first of `paths` that goes through one of these filters, as files of LFS do. */
export function filteredAmong(
  at: GitDirectory,
  { paths, filters, workTree }: { paths: readonly string[]; filters: ReadonlySet<string>; workTree: string },
): string | undefined {
  if (filters.size === 0) return undefined;
  const args = ["check-attr", "-z", "--stdin", "filter"];
  const input = paths.map((path) => `${path}\0`).join("");
  const answers = fields(runGitNow(at, { args, input, workTree }).out);
  for (let nth = 0; nth + 2 < answers.length; nth += 3)
    if (filters.has(answers[nth + 2] ?? "")) return answers[nth];
  return undefined;
}
