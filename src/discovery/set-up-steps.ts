// Which set-up a project asks for: one answer for `heddle plan`, `heddle doctor` and `heddle execute` (X24). A lock file asks
// for it, and so does a manifest without one whose packages are installed beside the project's files.
import { kindOf } from "./manifests.ts";
import type { ProjectContext, Setup } from "./project-context.ts";

export interface SetUpStep {
  readonly run: string;
  readonly cwd: string;
  /** The file that asks for it. */
  readonly because: string;
}

export const byPerson = "a person";
const byConfiguration = ".heddle/config.json";

type Asking = Pick<ProjectContext, "setup"> & Partial<Pick<ProjectContext, "dependencies" | "packages">>;

export function setUpSteps(context: Asking): SetUpStep[] {
  return context.setup.flatMap((step) => {
    if (saidBy.has(step.found_in)) return [{ run: step.run, cwd: step.cwd, because: step.found_in }];
    if (step.lock_file !== null) return [{ run: apart(step.run), cwd: step.cwd, because: step.lock_file }];
    return asks(step, context)
      ? [{ run: apart(unlocked(step.run)), cwd: step.cwd, because: step.found_in }]
      : [];
  });
}

/** Not found, but said: it runs as it stands there. */
const saidBy: ReadonlySet<string> = new Set([byPerson, byConfiguration]);

/** What the configuration says takes the place of what was found. */
export function withConfigured<T extends Asking>(context: T, commands: readonly string[] | undefined): T {
  if (!commands) return context;
  const said = (run: string) => ({ run, cwd: ".", lock_file: null, found_in: byConfiguration });
  return { ...context, setup: commands.map(said) };
}

/** As lines of the configuration, which run in the target's folder. */
export const configured = (context: Asking) =>
  setUpSteps(context).map(({ run, cwd }) => (cwd === "." ? run : `cd ${cwd} && ${run}`));

/** Their finders name a set-up only where there is something to install; Maven fetches its own plugins, whatever is listed. */
const always: ReadonlySet<string | undefined> = new Set(["node", "python", "go", "maven"]);
/** Their tools name a set-up whether or not there is anything to fetch. */
const whereListed: ReadonlySet<string | undefined> = new Set(["rust", "ruby", "php", "dotnet"]);

const kindAt = (path: string) => kindOf(path.slice(path.lastIndexOf("/") + 1))?.kind;

function asks({ found_in, cwd }: Setup, { dependencies = [], packages = [] }: Asking): boolean {
  const kind = kindAt(found_in);
  if (always.has(kind)) return true;
  if (!whereListed.has(kind)) return false;
  const isBelow = (path: string) => cwd === "." || path.startsWith(`${cwd}/`);
  const isMeant = (manifest: string) => kindAt(manifest) === kind && isBelow(manifest);
  const isFetched = ({ name }: { readonly name: string }) => kind !== "php" || name.includes("/");
  return (
    dependencies.some((each) => isMeant(each.manifest) && isFetched(each)) ||
    packages.some(({ manifest, dependencies: own }) => isMeant(manifest) && own.some(isFetched))
  );
}

/** Not into the machine's own Python: into the folder that comes with the workspace (`work/set-up/stores.ts`). */
const apart = (run: string) => run.replace(/^python3 -m pip install /, "python3 -m pip install --user ");

/** No lock file is written: nobody asked for one, and it would lie in every workspace. */
function unlocked(run: string): string {
  const [tool = ""] = run.split(" ");
  const flag = { npm: "--no-package-lock", pnpm: "--no-lockfile", yarn: "--no-lockfile", bun: "--no-save" }[
    tool
  ];
  return flag === undefined ? run : `${run} ${flag}`;
}

/** As one line, for people. */
export function setUpText(context: Asking): string {
  return setUpSteps(context)
    .map(({ run, because }) => `${run} (${because})`)
    .join("; ");
}
