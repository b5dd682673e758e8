// Where finished work goes (X30): it stays on `heddle/<run>`, the checkout is fast-forwarded, or another branch is. Flags go
// before the configuration, that before what the person answered once for this project. Without any word it stays where it is.
import { join } from "node:path";
import { recordIn } from "../core/json.ts";
import { problem } from "../core/problem.ts";
import { type App, Refused } from "../engine/app.ts";
import { readIfThere, replaceFile } from "../host/files.ts";
import type { Landed } from "../host/land/land.ts";
import { hintText, type Manner } from "../view/hint.ts";
import type { Call } from "./command.ts";
import { canAsk, prompts } from "./terminal/prompts.ts";

type Mode = "auto" | "ask" | "never" | `into:${string}`;

export const landFlags = {
  land: { about: "at the end bring this checkout to the result, if it is clean and has not moved" },
  into: { about: "at the end bring this branch to the result", takes: "BRANCH" },
} as const;

/** Asked before anybody works, so that nobody has to come back for it. */
export async function askWhereToLand(call: Call, app: App): Promise<void> {
  if (!canAsk(call) || (await modeOf(call, app)) !== undefined) return;
  await asked(call, app);
}

export async function landed(call: Call, app: App): Promise<string> {
  const mode = (await modeOf(call, app)) ?? (canAsk(call) ? await asked(call, app) : "never");
  const now = mode === "ask" ? canAsk(call) && (await confirmed(call)) : mode !== "never";
  if (!now) return staysText(call, app);
  if (call.signal.aborted) return "";
  return landingText(await bring(app, mode), mode, call.manner);
}

async function confirmed(call: Call): Promise<boolean> {
  return (await prompts(call)).confirm("Bring your checkout to the result?");
}

/** `heddle land`, by hand: the checkout, unless a branch was named. */
export async function landNow(call: Call, app: App): Promise<{ landing: Landed; text: string }> {
  const { flags, manner } = call;
  if (flags.has("merge")) {
    const landing = await app.packs.land(app, { signal: call.signal, unconfined: flags.has("unconfined") });
    return { landing, text: landingText(landing, "auto", manner) };
  }
  const into = flags.one("into");
  const mode = into === undefined ? "auto" : (`into:${into}` as const);
  const landing = await bring(app, mode);
  return { landing, text: landingText(landing, mode, manner) };
}

/** What was taken back follows to where it had landed. */
export async function landAgain(call: Call, app: App): Promise<{ landing: Landed; text: string }> {
  const mode = (await modeOf(call, app)) ?? "auto";
  const landing = await bring(app, mode);
  return { landing, text: landingText(landing, mode, call.manner) };
}

async function bring(app: App, mode: Mode): Promise<Landed> {
  if (!mode.startsWith("into:")) return app.packs.land(app);
  const { landBranchInto } = await import("../orders/land-branch.ts");
  return landBranchInto(app, mode.slice("into:".length));
}

function landingText(landing: Landed, mode: Mode, manner: Manner): string {
  if (!landing.landed) return `not landed: ${landing.reason}\n  hint: ${hintText(landing.hint, manner)}`;
  if (landing.files === 0 && landing.aside === undefined)
    return "nothing to land: everything that is finished is there already";
  const files = `${landing.files} file${landing.files === 1 ? "" : "s"} changed`;
  if (mode.startsWith("into:")) return `landed: ${files} on branch ${mode.slice("into:".length)}`;
  const kept = landing.aside === undefined ? "" : `\n  what you saved meanwhile is kept at ${landing.aside}`;
  return `landed: ${files} in your checkout${kept}`;
}

async function staysText({ manner }: Call, app: App): Promise<string> {
  const { name, target } = await app.look((run) => ({
    name: run.branch?.name ?? `heddle/${run.id}`,
    target: run.targetDir,
  }));
  const at = process.cwd() === target || process.cwd().startsWith(`${target}/`) ? "" : `-C ${target} `;
  return `finished on branch ${name}; your own branch is as it was\n  hint: git ${at}merge ${name}, or: ${manner("land")}`;
}

/** Undefined: nobody said anything yet. */
async function modeOf({ flags }: Call, app: App): Promise<Mode | undefined> {
  const into = flags.one("into");
  if (into !== undefined) return `into:${into}`;
  if (flags.has("land")) return "auto";
  const { readConfig } = await import("../orders/config.ts");
  const { isOwnProject, lastLanding } = await import("../orders/target-repository.ts");
  const said = readConfig(app.paths.heddle).land ?? fromEnvironment() ?? remembered(app);
  if (said !== undefined) return said as Mode;
  const before = await lastLanding(app);
  if (before) return before.into === undefined ? "auto" : `into:${before.into}`;
  return (await isOwnProject(app)) ? "auto" : undefined;
}

/** For machines where nobody is asked. */
function fromEnvironment(): Mode | undefined {
  const said = process.env.HEDDLE_LAND;
  if (said === undefined || said === "") return undefined;
  if (isMode(said)) return said;
  throw new Refused([
    problem("bad-setting", `HEDDLE_LAND is \`${said}\``, { hint: "HEDDLE_LAND=auto, never, or into:BRANCH" }),
  ]);
}

const isMode = (word: unknown): word is Mode =>
  typeof word === "string" && (["auto", "ask", "never"].includes(word) || /^into:\S+$/.test(word));

const fileIn = (app: App) => join(app.paths.heddle, "landing.json");

function remembered(app: App): Mode | undefined {
  const { land } = recordIn<{ land?: unknown }>(readIfThere(fileIn(app)) ?? "") ?? {};
  return isMode(land) ? land : undefined;
}

async function asked(call: Call, app: App): Promise<Mode> {
  const name = await app.look((run) => run.branch?.name ?? `heddle/${run.id}`);
  const [stay, checkout, other] = [
    `it stays on ${name}, and I merge it`,
    "this checkout is fast-forwarded to it",
    "another branch is moved to it",
  ];
  const { choose, text } = await prompts(call);
  const chosen = await choose("Where does finished work go? (asked once per project)", [
    stay,
    checkout,
    other,
  ]);
  const check = (word: string) => (/^\S+$/.test(word) ? undefined : "a branch's name has no blanks");
  const mode: Mode =
    chosen === stay
      ? "never"
      : chosen === checkout
        ? "auto"
        : `into:${await text("Which branch?", { initial: "develop", check })}`;
  replaceFile(fileIn(app), `${JSON.stringify({ land: mode })}\n`);
  call.say(`remembered in .heddle/landing.json; \`land\` in .heddle/config.json goes before it`);
  return mode;
}
