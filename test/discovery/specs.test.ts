// Which files are offered as a specification, and in what order.
import { mkdirSync, symlinkSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { findSpecs } from "../../src/discovery/discover.ts";
import { folderWith } from "./folders.ts";

const specification =
  "# The shop\n\n## Requirements\n\n- R1: The shop must open.\n- R2: It must close.\n- R3: It shall sell.\n";
const prose = "# Notes\n\nOnce upon a time.\n\nThe end.\n\nReally.\n";

async function offered(files: Readonly<Record<string, string>>, planning = "project-planning") {
  const workingDir = folderWith(files);
  const found = await findSpecs({ planningDir: join(workingDir, planning), workingDir });
  return found.map((each) => ({ ...each, path: relative(workingDir, each.path) }));
}

describe("findSpecs", () => {
  it("D2 finds specifications by name and content, in the planning and the working directory", async () => {
    const found = await offered({
      "project-planning/inputs/spec.md": specification,
      "project-planning/notes.txt": prose,
      "docs/prd.md": specification,
      "docs/thoughts.md": prose,
      "ideas/what-we-need.md": specification,
      "README.md": specification,
      "CHANGELOG.md": "# 1.0.0\n\n- R1: done\n- x\n- y\n- z\n",
      LICENSE: "MIT",
      "AGENTS.md": prose,
      "src/code.ts": "",
    });
    expect(found.map(({ path }) => path)).toEqual([
      "project-planning/inputs/spec.md",
      "docs/prd.md",
      "ideas/what-we-need.md",
      "project-planning/notes.txt",
      "docs/thoughts.md",
      "README.md",
      "CHANGELOG.md",
      "AGENTS.md",
    ]);
    expect(found[1]).toMatchObject({
      bytes: specification.length,
      heading: "The shop",
      why: expect.arrayContaining(["named as product requirements", "3 numbered requirements"]),
    });
  });

  it("D2 finds nothing in empty or missing directories", async () => {
    expect(await offered({})).toEqual([]);
    const gone = join(folderWith(), "gone");
    expect(await findSpecs({ planningDir: gone, workingDir: gone })).toEqual([]);
  });

  it("D2 does not offer what heddle wrote, what pip reads, dependencies or build results", async () => {
    const found = await offered({
      "project-planning/reports/task-validation-report.md": specification,
      "project-planning/artifacts/notes.md": specification,
      "requirements.txt": "flask==3.0\n# comment\nattrs\nrequests[socks]>=2\n",
      "requirements-dev.txt": "pytest\n",
      "CMakeLists.txt": "project(x)\n",
      "node_modules/some/spec.md": specification,
      "dist/spec.md": specification,
      "empty-spec.md": "",
      "binary-spec.md": "a\0b",
    });
    expect(found).toEqual([]);
  });

  it("D2 tells requirements in words from requirements of pip", async () => {
    const found = await offered({
      "requirements.txt": "The shop\n\nIt must open at nine.\nIt must sell bread.\n",
    });
    expect(found).toMatchObject([{ path: "requirements.txt", heading: "The shop" }]);
  });

  it("D2 offers a file once when the directories lie in each other, and at most twenty", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`docs/spec-${n}.md`, specification]),
    );
    const workingDir = folderWith({ ...many, "spec.md": specification });
    const found = await findSpecs({ planningDir: workingDir, workingDir });
    expect(new Set(found.map(({ path }) => path)).size).toBe(found.length);
    expect(found).toHaveLength(20);
    expect(basename(found[0]?.path ?? "")).toBe("spec.md");
  });

  it("D2 follows no links and shows no invisible characters", async () => {
    const outside = folderWith({ "spec.md": specification });
    const workingDir = folderWith({
      "a\u001b[31m-spec.md": specification,
      "b.md": "# a\u001b[2Jb\u202e\n\nx\ny\nz\n",
    });
    symlinkSync(outside, join(workingDir, "linked"));
    symlinkSync(join(outside, "spec.md"), join(workingDir, "spec.md"));
    symlinkSync(".", join(workingDir, "loop"));
    mkdirSync(join(workingDir, "folder-spec.md"));
    const found = await findSpecs({ planningDir: join(workingDir, "plan"), workingDir });
    expect(found.map(({ path, heading }) => [basename(path), heading])).toEqual([["b.md", "a [2Jb"]]);
  });
});
