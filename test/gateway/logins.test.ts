// A person's own login: who may use it, that thirty at once renew it once, and that no box ever holds it.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { keyOf, knownBy, mayUse, signIn } from "../../src/agents/known.ts";
import { machineLogins } from "../../src/agents/logins.ts";
import { storedLogin } from "../../src/agents/stored-login.ts";
import { makeAgent } from "../../src/orders/make-agent.ts";
import { folder } from "../agents/suite.ts";
import { scriptedLogin, token } from "./login-rig.ts";
import { ask, gatewayTo } from "./vendor.ts";

const open: { close(): unknown }[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const each of open.splice(0)) each.close();
});

function homeWith(files: Readonly<Record<string, unknown>>) {
  const home = folder();
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), typeof value === "string" ? value : JSON.stringify(value));
  }
  return home;
}

describe("U12 the login of a vendor's own program", () => {
  it("is found where the program keeps it, with its end", () => {
    const claudeAiOauth = { accessToken: "at", refreshToken: "rt", expiresAt: 5000 };
    const access = token(1, 60);
    const HOME = homeWith({
      ".claude/.credentials.json": { claudeAiOauth },
      ".codex/auth.json": { tokens: { access_token: access, account_id: "a", refresh_token: "rt" } },
      "other/.credentials.json": { claudeAiOauth: { ...claudeAiOauth, accessToken: "other" } },
      "key/auth.json": { OPENAI_API_KEY: "sk-x", tokens: null },
    });
    const kind = "subscription";
    expect(storedLogin("claude", { HOME })).toEqual({ token: "at", expiresAtMs: 5000, account: null, kind });
    const found = storedLogin("codex", { HOME });
    expect(found).toMatchObject({ token: access, account: "a", kind });
    expect(Math.abs((found?.expiresAtMs ?? 0) - Date.now() - 60_000)).toBeLessThan(5000);
    expect(storedLogin("claude", { HOME, CLAUDE_CONFIG_DIR: join(HOME, "other") })?.token).toBe("other");
    expect(storedLogin("codex", { HOME, CODEX_HOME: join(HOME, "key") })).toMatchObject({
      token: "sk-x",
      kind: "key",
    });
    expect(JSON.stringify([storedLogin("claude", { HOME }), found])).not.toContain("rt");
  });

  it.each([
    "",
    "{",
    "[]",
    '{"claudeAiOauth":{"accessToken":7}}',
    '{"claudeAiOauth":{"accessToken":"a\\nb"}}',
    '{"tokens":{"access_token":""}}',
  ])("is none where what is there is not understood: %s", (text) => {
    const HOME = homeWith({ ".claude/.credentials.json": text, ".codex/auth.json": text });
    expect([storedLogin("claude", { HOME }), storedLogin("codex", { HOME })]).toEqual([undefined, undefined]);
  });

  it("is used after a key and a long-lived token; Claude Code's only where a person says so", () => {
    const HOME = homeWith({
      ".claude/.credentials.json": { claudeAiOauth: { accessToken: "at", expiresAt: 5000 } },
      ".codex/auth.json": { tokens: { access_token: token(1, 60) } },
    });
    for (const name of [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "OPENAI_API_KEY",
      "CODEX_API_KEY",
      "CODEX_HOME",
      "CLAUDE_CONFIG_DIR",
    ])
      vi.stubEnv(name, "");
    vi.stubEnv("HOME", HOME);
    const [claude, codex] = [knownBy("claude"), knownBy("codex")];
    if (!claude || !codex) throw new Error("bug: they are known");
    expect([mayUse("claude"), mayUse("codex"), mayUse("codex", { codex: false })]).toEqual([
      false,
      true,
      false,
    ]);
    expect(keyOf(codex)).toBe("the login of Codex on this machine");
    expect(keyOf(claude)).toBeUndefined();
    expect(signIn(claude, {})).toContain('"logins": { "claude": true }');
    expect(keyOf(claude, { claude: true })).toBe("the login of Claude Code on this machine");
    vi.stubEnv("CLAUDE_CODE_OAUTH_TOKEN", "long");
    expect(keyOf(claude, { claude: true })).toBe("CLAUDE_CODE_OAUTH_TOKEN");
    vi.stubEnv("ANTHROPIC_API_KEY", "sk");
    expect(keyOf(claude, { claude: true })).toBe("ANTHROPIC_API_KEY");
    // Who speaks for a vendor's program is not that program.
    expect(keyOf({ ...codex, word: "acp:codex-acp" })).toBeUndefined();
  });

  it("is no key for an agent without the gateway, and a person is told", async () => {
    const login = await scriptedLogin(60);
    open.push(login);
    for (const name of ["OPENAI_API_KEY", "CODEX_API_KEY"]) vi.stubEnv(name, "");
    vi.stubEnv("CODEX_HOME", login.env.CODEX_HOME);
    const config = { agents: { codex: { kind: "codex" as const, path: login.program } } };
    const made = makeAgent("codex", { config, root: folder(), box: { kind: "unconfined" } });
    expect(made).toMatchObject({ code: "no-key", message: expect.stringContaining("without a box") });
  });

  it("U12 is renewed once by thirty attempts of three processes at once, and no box holds it", async () => {
    const login = await scriptedLogin(60);
    open.push(login);
    const env = { ...process.env, ...login.env };
    const user = join(import.meta.dirname, "login-user.ts");
    const run = () => promisify(execFile)(process.execPath, [user, login.program, "10"], { env });
    const answered = (await Promise.all([run(), run(), run()])).flatMap(
      ({ stdout }) => JSON.parse(stdout) as number[],
    );
    expect(answered).toEqual(Array.from({ length: 30 }, () => 200));
    expect(login.used).toEqual(["renewal-0"]);
    const { access_token, refresh_token } = login.stored();
    expect(refresh_token).toBe("renewal-1");
    expect(login.seen).toHaveLength(30);
    for (const { authorization, account, text } of login.seen) {
      expect([authorization, account]).toEqual([`Bearer ${access_token}`, "acc-1"]);
      expect(text).not.toContain(access_token);
      expect(text).not.toContain("renewal");
    }
  });

  it("is renewed when the vendor refuses it early: the program is told to ask again, and is answered then", async () => {
    const login = await scriptedLogin(36_000);
    open.push(login);
    for (const [name, value] of Object.entries(login.env)) vi.stubEnv(name, value);
    const route = { name: "codex", program: login.program } as const;
    const gateway = await gatewayTo(login.env.CHATGPT_BASE_URL, {
      routes: [{ vendor: "chatgpt", variable: "CODEX_API_KEY", login: route }],
      addresses: { CHATGPT_BASE_URL: login.env.CHATGPT_BASE_URL },
      logins: machineLogins,
    });
    const bearer = `Bearer ${gateway.pass.variables.CODEX_API_KEY}`;
    const asking = { path: "/chatgpt/responses", headers: { "x-api-key": "", authorization: bearer } };
    expect((await ask(gateway, asking)).status).toBe(200);
    login.revoke();
    expect(await ask(gateway, asking)).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect((await ask(gateway, asking)).status).toBe(200);
    expect(login.used).toEqual(["renewal-0"]);
    // One that cannot be renewed any more is a person's affair.
    const stored = JSON.parse(readFileSync(login.file, "utf8"));
    writeFileSync(login.file, JSON.stringify({ tokens: { ...stored.tokens, refresh_token: "used before" } }));
    login.revoke();
    const last = await ask(gateway, asking);
    expect([last.status, last.text]).toEqual([401, expect.stringContaining("sign in with it again")]);
    expect(gateway.counted).toHaveLength(2);
  });
});
