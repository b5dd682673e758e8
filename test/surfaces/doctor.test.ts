// U1: `heddle doctor` tries things for real, and says what to type.
import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, folder, newProject, type Options, Project, start } from "../e2e/rig.ts";
import { hasBox, whereIs } from "../needs.ts";

interface Found {
  readonly name: string;
  readonly state: string;
  readonly what: string;
  readonly hint?: string;
}

async function doctor(project: Project, options: Options = {}, ...words: readonly string[]) {
  const ran = await ended(start(["doctor", ...words, "--json"], { cwd: project.root, ...options }));
  const findings = JSON.parse(ran.out).findings as Found[];
  return { code: ran.code, find: (name: string) => findings.find((each) => each.name === name) as Found };
}

/** A folder of programs, first on the PATH. */
function programs(files: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const path = folder();
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(path, name), text);
    chmodSync(join(path, name), 0o755);
  }
  return { PATH: `${path}:${process.env.PATH}` };
}

describe("heddle doctor", () => {
  it.runIf(hasBox)(
    "U1 finds everything in order, leaves nothing behind, and exits with 0 (left out without bubblewrap)",
    async () => {
      const project = await newProject();
      project.write("agent.sh", "#!/bin/sh\n");
      chmodSync(project.path("agent.sh"), 0o755);
      project.write(".heddle/config.json", JSON.stringify({ agent: "command:./agent.sh" }));
      const before = readdirSync(project.path(".heddle"));
      const { code, find } = await doctor(project, { env: { HOME: folder() } });
      expect(
        ["node", "git", "journal", "sandbox", "gateway", "project", "agent command:./agent.sh"].map(
          (name) => find(name).state,
        ),
      ).toEqual(Array(7).fill("ok"));
      expect(find("gateway").what).toContain(
        "no key in the box, the vendor sees it, nothing else is reached",
      );
      expect(find("git").what).toContain("merges in memory, and sees a conflict");
      expect(find("sandbox").what).toContain("no network, no write or look outside, no process survives");
      expect(code).toBe(0);
      expect(readdirSync(project.path(".heddle"))).toEqual(before);
    },
  );

  it("U1 sees that a box is none, whatever the program says that stands for it", async () => {
    const project = new Project();
    const bwrap = `#!/bin/sh
if [ "$1" = --version ]; then echo bubblewrap 0.9.9; exit; fi
while [ "$1" != -- ]; do shift; done
shift; exec "$@"
`;
    const { code, find } = await doctor(project, { env: programs({ bwrap }) });
    expect(find("sandbox").state).toBe("fail");
    expect(find("sandbox").what).toMatch(
      /does not hold: the network was reached, a file outside was written, a file outside was read/,
    );
    expect(code).toBe(1);
  });

  it("U1 says what is missing and what to type: no bubblewrap, an old git, an agent that is not there", async () => {
    const project = await newProject();
    project.write(
      ".heddle/config.json",
      JSON.stringify({
        agent: "coder",
        agents: { coder: { command: ["no-such-coder"] }, other: { command: ["./x"] } },
      }),
    );
    project.write("x", "not executable");
    const git = `#!/bin/sh\nif [ "$1" = version ]; then echo git version 2.30.1; exit; fi\nexec ${whereIs("git")} "$@"\n`;
    const bwrap = "#!/bin/sh\necho no namespaces >&2\nexit 1\n";
    const { code, find } = await doctor(project, { env: programs({ git, bwrap }) });
    expect(find("git")).toMatchObject({
      state: "fail",
      what: "git 2.30 is too old: heddle needs 2.38 or newer",
    });
    expect(find("sandbox").state).toBe("fail");
    expect(find("sandbox").hint).toContain("--unconfined");
    expect(find("agent coder")).toMatchObject({ state: "fail", hint: "which no-such-coder" });
    expect(find("agent other")).toMatchObject({ state: "fail", hint: `chmod +x ${project.path("x")}` });
    expect(code).toBe(1);
  });

  it("U1 notices settings of git that change what lands, and a damaged journal", async () => {
    const project = await newProject();
    const home = folder();
    writeFileSync(join(home, ".gitconfig"), "[core]\n\tautocrlf = true\n[commit]\n\tgpgsign = true\n");
    const settings = (await doctor(project, { env: { HOME: home } })).find("git settings");
    expect(settings).toMatchObject({ state: "warn" });
    expect(settings.what).toContain("core.autocrlf");
    for (const ending of ["-wal", "-shm"]) rmSync(`${project.database}${ending}`, { force: true });
    writeFileSync(project.database, "nonsense".repeat(1000));
    const { code, find } = await doctor(project);
    expect(find("project").state).toBe("fail");
    expect(code).toBe(1);
  });
});

/** A `claude` that is `version`, and does this when it is asked. */
const claude = (version: string, body: string) => `#!/bin/sh
if [ "$1" = --version ]; then echo "${version} (Claude Code)"; exit; fi
${body}
`;
const result = (more: object) =>
  `echo '${JSON.stringify({ type: "result", subtype: "success", is_error: false, terminal_reason: "completed", num_turns: 2, ...more })}'`;
const refusing = (status: number | null, words: string) =>
  `${result({ is_error: true, terminal_reason: "api_error", api_error_status: status, result: words })}; exit 1`;

describe("heddle doctor and the agents of a machine", () => {
  const onlySystem = { PATH: "/usr/bin:/bin", HOME: folder() };
  const withClaude = (version: string, body: string) => ({
    ...{
      ...onlySystem,
      PATH: `${programs({ claude: claude(version, body) }).PATH?.split(":")[0]}:/usr/bin:/bin`,
    },
    ANTHROPIC_API_KEY: "sk-ant-for-this-test",
  });

  it("U1 says what can be installed where there is none, and that the demo needs none", async () => {
    const { find } = await doctor(new Project(), { env: onlySystem });
    expect(find("agents")).toMatchObject({ state: "warn", hint: expect.stringContaining("heddle demo") });
    for (const name of ["claude-code", "@openai/codex", "gemini-cli", "opencode-ai"])
      expect(find("agents").what).toContain(name);
    const project = new Project();
    project.write("spec.md", "# A specification\n");
    const planned = await ended(
      start(["plan", "spec.md", "--target", "app", "--yes"], { cwd: project.root, env: onlySystem }),
    );
    expect(planned.code).not.toBe(0);
    expect(planned.err).toContain("no agent is named, and none is installed here: Claude Code, Codex,");
    expect(planned.err).toContain("heddle demo works without any");
  });

  it("U1 shows which version is there, whether it is older than the tried one, and a missing key", async () => {
    const found = async (env: NodeJS.ProcessEnv) =>
      (await doctor(new Project(), { env })).find("agent claude");
    expect(await found(withClaude("99.0.0", ""))).toMatchObject({
      state: "ok",
      what: expect.stringMatching(/Claude Code 99\.0\.0 \(tried: .*, with ANTHROPIC_API_KEY/),
    });
    expect(await found(withClaude("1.0.9", ""))).toMatchObject({
      state: "warn",
      what: expect.stringContaining("older than what heddle was tried with"),
      hint: "npm install -g @anthropic-ai/claude-code@latest",
    });
    const keyless = await found({ ...withClaude("99.0.0", ""), ANTHROPIC_API_KEY: undefined });
    expect(keyless.hint).toContain("export ANTHROPIC_API_KEY=…");
    const broken = programs({ claude: "#!/bin/sh\necho cannot load libfoo >&2; exit 127\n" });
    const env = { ...broken, ANTHROPIC_API_KEY: "sk-ant-for-this-test" };
    expect(await found(env)).toMatchObject({ state: "fail", what: expect.stringContaining("libfoo") });
  });

  it("U1 on request an agent does a small thing for real, and what it took is shown", async () => {
    const work = `cat > /dev/null; echo '{"answer":"heddle"}' > "$HEDDLE_OUTPUT"
${result({ total_cost_usd: 0.02, modelUsage: { m: { inputTokens: 1200, outputTokens: 40, costUSD: 0.02 } } })}`;
    const { code, find } = await doctor(
      new Project(),
      { env: withClaude("99.0.0", work) },
      ...["--agent", "claude"],
    );
    expect(find("ask claude")).toMatchObject({
      state: "ok",
      what: expect.stringMatching(/1\.2k tokens, \$0\.02/),
    });
    expect(code).toBe(0);
    const lying = { env: withClaude("99.0.0", result({ result: "done!" })) };
    expect((await doctor(new Project(), lying, "--agents")).find("ask claude")).toMatchObject({
      state: "fail",
      what: expect.stringContaining("without doing what it was asked"),
    });
  });

  it.each([
    ["logged out", 401, "API Error: 401 invalid x-api-key", /refused the key/, /export ANTHROPIC_API_KEY/],
    ["limited", 429, "limit reached, try again in 2 hours", /resets in 120 min/, /fallback/],
    ["cut off", null, "Connection error.", /could not be reached/, /HTTPS_PROXY/],
  ])("U1 says what to do about an agent that is %s", async (_what, status, words, what, hint) => {
    const env = withClaude("99.0.0", refusing(status, words));
    const found = (await doctor(new Project(), { env }, "--agent", "claude")).find("ask claude");
    expect(found).toMatchObject({
      ...{ state: "fail", what: expect.stringMatching(what), hint: expect.stringMatching(hint) },
    });
  });
});
