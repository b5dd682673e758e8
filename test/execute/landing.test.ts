// Where finished work goes, and whose name its commits carry.
import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { heddle, Project } from "../e2e/rig.ts";
import { hasScript, keys, Terminal } from "../plan/terminal.ts";
import { attemptIn, hasBox } from "./rig.ts";
import { Stranger } from "./stranger.ts";

describe.runIf(hasBox)("finished work (left out without bubblewrap)", () => {
  it("X30 stays on its own branch unless a person said otherwise, and says how to get it", async () => {
    const project = new Stranger();
    const main = project.git("rev-parse", "main");
    const ran = await project.unset("say hello");
    expect(ran.code).toBe(0);
    expect(ran.out).toContain(
      "finished on branch heddle/plan-1; your own branch is as it was\n  hint: git merge heddle/plan-1, or: heddle land",
    );
    expect(project.git("rev-parse", "main")).toBe(main);
    expect(project.git("status", "--porcelain")).toBe("");
    // The person commits, the agent is named in a trailer.
    const format = "--format=%cn <%ce>|%(trailers:key=Heddle-Agent,valueonly,separator=%x2C)";
    const [committer, agent] = project.git("log", "-1", format, "heddle/plan-1").trim().split("|");
    expect(committer).toBe("Ada <ada@example.org>");
    expect(agent).toContain("command:");
    // The next run says what it begins without.
    const into = await project.unset("say more", "--into", "develop");
    expect(into.err).toContain("heddle/plan-1 is finished and not part of your branch");
    expect(into.out).toContain("landed: 1 file changed on branch develop");
    expect(project.git("show", "develop:T001.txt")).toBe("say more\n");
    expect(project.git("rev-parse", "main")).toBe(main);
    // By hand it lands.
    await project.must("land", "--run", "plan-1");
    expect(project.git("rev-parse", "main")).toBe(project.git("rev-parse", "heddle/plan-1"));
    // A branch that has other commits is left as it is.
    const refused = await project.heddle("land", "--run", "plan-1", "--into", "develop");
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(
      /not landed: `develop` has commits .*\n {2}hint: git .* merge heddle\/plan-1/,
    );
  });

  it("X30 goes where the configuration says, and is private to its owner", async () => {
    const project = new Stranger();
    project.write(".heddle/config.json", JSON.stringify({ land: "into:ready" }));
    const ran = await project.unset("say hello");
    expect(ran.out).toContain("landed: 1 file changed on branch ready");
    expect(statSync(project.database).mode & 0o777).toBe(0o600);
    expect(statSync(attemptIn(project, "T001-1", "token")).mode & 0o777).toBe(0o600);
    expect(readFileSync(project.path(".git/info/exclude"), "utf8")).toContain(
      "/.heddle/\n/project-planning/\n",
    );
  });

  it("X30 lands as files in a project that heddle itself began", async () => {
    const [project, helper] = [new Project(), new Stranger()];
    const ran = await heddle(["run", "begin", "--check", "test -f T001.txt", ...helper.who], {
      cwd: project.root,
      env: { HEDDLE_LAND: undefined },
    });
    expect(ran.code).toBe(0);
    expect(existsSync(project.path("T001.txt"))).toBe(true);
  });

  it.runIf(hasScript)("X30 asks once per project on a terminal, and remembers", async () => {
    const project = new Stranger();
    const words = ["run", "say hello", "--plain", ...project.who];
    const terminal = new Terminal(project.root, words, { HEDDLE_LAND: "" });
    await terminal.answer(/Where does finished work go\?/);
    await terminal.answer("3  another branch", `2${keys.enter}`);
    expect(await terminal.over()).toBe(0);
    expect(terminal.text).toContain("landed: 1 file changed in your checkout");
    expect(JSON.parse(readFileSync(project.path(".heddle/landing.json"), "utf8"))).toEqual({ land: "auto" });
    expect((await project.unset("say more")).out).toContain("landed: 1 file changed in your checkout");
  });
});
