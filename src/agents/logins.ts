// A person's login, for the gateway: the access token that is good now. When it ends, the vendor's own program is asked to renew it,
// by one at a time on this machine: its renewal token is good for one use, and two who used it would sign the person out. What
// the program then left in its own file counts; heddle asks no vendor for tokens, and hands none to a box.
import { homedir } from "node:os";
import type { Credential, Logins } from "../gateway/gateway.ts";
import { isCredential, type LoginRoute } from "../gateway/vendors.ts";
import { inTurn } from "../host/machine-turn.ts";
import type { ProgramSpec } from "../host/program/program.ts";
import { runToEnd } from "../host/program/run.ts";
import { Talk } from "../host/program/talk.ts";
import { loginFile, type StoredLogin, storedLogin } from "./stored-login.ts";

/** Before it ends: a request that is sent with it has to arrive. */
const marginMs = 5 * 60_000;
/** A program that could not renew it is not asked again by every request. */
const restMs = 60_000;

const isFresh = ({ expiresAtMs }: StoredLogin, marginsMs = marginMs) =>
  expiresAtMs === null || expiresAtMs - Date.now() > marginsMs;

class MachineLogins implements Logins {
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #restUntil = new Map<string, number>();

  async current(login: LoginRoute): Promise<Credential | undefined> {
    const stored = storedLogin(login.name);
    if (!stored) return undefined;
    if (isFresh(stored)) return credentialOf(stored);
    await this.#renewed(login, stored.token, "ended");
    const newer = storedLogin(login.name);
    return newer && isFresh(newer, 0) ? credentialOf(newer) : undefined;
  }

  async renew(login: LoginRoute, refused: string): Promise<boolean> {
    const stored = storedLogin(login.name);
    if (stored && stored.token !== refused) return true;
    if (stored?.kind === "key") return false;
    await this.#renewed(login, refused, "refused");
    const newer = storedLogin(login.name);
    return newer !== undefined && newer.token !== refused;
  }

  async #renewed(login: LoginRoute, old: string, why: Why): Promise<void> {
    const file = loginFile(login.name);
    const others = this.#underWay.get(file);
    if (others) return others;
    if ((this.#restUntil.get(file) ?? 0) > performance.now()) return;
    const renewal = inTurn(file, async () => {
      // Whoever had the turn before, or the person's own session, may have done it.
      if (storedLogin(login.name)?.token !== old) return;
      await askProgram(login, why);
      if (storedLogin(login.name)?.token === old) this.#restUntil.set(file, performance.now() + restMs);
    }).finally(() => this.#underWay.delete(file));
    this.#underWay.set(file, renewal);
    return renewal;
  }
}

/** Why it has to be renewed: a program that looks at the clock alone must be told that the vendor refused it. */
type Why = "ended" | "refused";

function credentialOf({ token, account }: StoredLogin): Credential {
  return { key: token, headers: account === null ? [] : [["chatgpt-account-id", account]] };
}

const limits = { wallMs: 60_000, silenceMs: 60_000, outputBytes: 4 * 1024 * 1024, lineBytes: 1024 * 1024 };

/** Contract: never throws; what came of it stands in the program's own file. */
async function askProgram(login: LoginRoute, why: Why): Promise<void> {
  const talk = new Talk();
  const common = {
    cwd: homedir(),
    environment: ownEnvironment(),
    limits,
    box: "unconfined",
  } as const;
  const asked: ProgramSpec =
    login.name === "claude"
      ? { ...common, argv: [login.program, ...claudeArguments], stdin: { text: "Answer with: ok" } }
      : { ...common, argv: [login.program, ...codexArguments], stdin: talk };
  for (const line of codexWords(why)) talk.write(`${JSON.stringify(line)}\n`);
  const last = codexWords(why).length;
  await runToEnd(asked, new AbortController().signal, (event) => {
    // Its answer to the last question, whatever it is: it has done by then what it does.
    if (event.kind === "line" && event.from === "stdout" && event.text.includes(`"id":${last}`)) talk.end();
  });
}

/** The person's own program in the person's own surroundings; a key there would keep it from its login. */
function ownEnvironment(): Record<string, string> {
  const given = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !isCredential(name) && !name.startsWith("HEDDLE_"),
  );
  return Object.fromEntries(given) as Record<string, string>;
}

/** It renews its login when it starts with one that has ended; this asks it for nothing else. */
const codexArguments = ["app-server", "-c", "analytics.enabled=false", "-c", "features.plugins=false"];

function codexWords(why: Why): object[] {
  const clientInfo = { name: "heddle", title: "heddle", version: "1" };
  const hello = { id: 1, method: "initialize", params: { clientInfo } };
  const forced = { id: 2, method: "getAuthStatus", params: { includeToken: false, refreshToken: true } };
  return why === "refused" ? [hello, forced] : [hello];
}

/** It renews its login before it asks its model, and has no quieter way: this is the smallest question, with no tool and no file. */
const claudeArguments = [
  ...["-p", "--output-format", "json", "--max-turns", "1", "--tools", "", "--setting-sources", ""],
  ...["--settings", JSON.stringify({ disableAllHooks: true }), "--strict-mcp-config"],
];

export const machineLogins: Logins = new MachineLogins();
