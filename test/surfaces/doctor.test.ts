// U1: `heddle doctor` tries things for real, and says what to type.
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, folder, newProject, type Options, Project, start } from "../e2e/rig.ts";
import { hasBox } from "../plan/rig.ts";

interface Found {
  readonly name: string;
  readonly state: string;
  readonly what: string;
  readonly hint?: string;
}

async function doctor(project: Project, options: Options = {}) {
  const ran = await ended(start(["doctor", "--json"], { cwd: project.root, ...options }));
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
  it.runIf(hasBox)("U1 finds everything in order, leaves nothing behind, and exits with 0", async () => {
    const project = await newProject();
    project.write("agent.sh", "#!/bin/sh\n");
    chmodSync(project.path("agent.sh"), 0o755);
    project.write(".heddle/config.json", JSON.stringify({ agent: "command:./agent.sh" }));
    const before = readdirSync(project.path(".heddle"));
    const { code, find } = await doctor(project, { env: { HOME: folder() } });
    expect(
      ["node", "git", "journal", "sandbox", "project", "agent command:./agent.sh"].map(
        (name) => find(name).state,
      ),
    ).toEqual(Array(6).fill("ok"));
    expect(find("git").what).toContain("merges in memory, and sees a conflict");
    expect(find("sandbox").what).toContain("no network, no write or look outside, no process survives");
    expect(code).toBe(0);
    expect(readdirSync(project.path(".heddle"))).toEqual(before);
  });

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
    const git = `#!/bin/sh\nif [ "$1" = version ]; then echo git version 2.30.1; exit; fi\nexec ${which("git")} "$@"\n`;
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

const which = (name: string) => execFileSync("which", [name], { encoding: "utf8" }).trim();
