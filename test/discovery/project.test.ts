// What discovery finds in any project: structure, layout, names, imports, samples; and that the result stays small.
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contextText, discoverProject } from "../../src/discovery/discover.ts";
import { contextOf, folderWith, git, repositoryWith, write } from "./folders.ts";

describe("the target", () => {
  it("D5 says that a target does not exist, and how to make it", async () => {
    const target = join(folderWith(), "nowhere");
    expect(await discoverProject(target)).toMatchObject({
      code: "no-target",
      message: `the target \`${target}\` does not exist`,
      hint: `mkdir -p ${target}`,
    });
  });

  it("D5 says that a target is not a directory", async () => {
    const target = join(folderWith({ file: "" }), "file");
    expect(await discoverProject(target)).toMatchObject({ code: "not-a-folder" });
    expect(await discoverProject(join(target, "below"))).toMatchObject({ code: "no-target" });
  });

  it("D5 calls a target without files new", async () => {
    expect(await contextOf(folderWith())).toMatchObject({ project_type: "new", stack: "none found" });
    expect(await contextOf(folderWith({ a: "" }))).toMatchObject({ project_type: "existing" });
  });

  it("D5 gives the same context for the same files", async () => {
    const target = repositoryWith({ "package.json": "{}", "src/a.ts": "export {};\n" });
    expect(JSON.stringify(await contextOf(target))).toBe(JSON.stringify(await contextOf(target)));
  });
});

describe("structure", () => {
  it("D5 honours every .gitignore of a repository, and lists new files too", async () => {
    const target = repositoryWith({
      ".gitignore": "secret/\n*.log\n",
      "inner/.gitignore": "made.ts\n",
      "inner/kept.ts": "",
      "inner/made.ts": "",
      "secret/key.ts": "",
      "run.log": "",
      "tracked.ts": "",
    });
    git(target, "add", "tracked.ts");
    const { structure, languages } = await contextOf(target);
    expect(structure).toMatchObject({ listed_by: "git", files: 4, complete: true });
    expect(structure.tree).toEqual(["inner/ (2): .gitignore, kept.ts", "./: .gitignore, tracked.ts"]);
    expect(languages).toEqual([{ language: "TypeScript", files: 2 }]);
  });

  it("D5 leaves dependency and build folders out, tracked or not, with git or without", async () => {
    const files = {
      "package.json": "{}",
      "node_modules/left/index.js": "",
      "dist/out.js": "",
      "src/build/plan.ts": "",
      "web/package.json": "{}",
      "web/build/out.js": "",
      ".venv/lib/x.py": "",
      "my-env/pyvenv.cfg": "",
      "my-env/lib/y.py": "",
      "app/__pycache__/z.py": "",
      "project-planning/inputs/spec.md": "",
      ".heddle/config.json": "{}",
    };
    const target = folderWith(files);
    const walked = await contextOf(target);
    expect(walked.structure).toMatchObject({ listed_by: "walk", files: 3 });
    expect(walked.structure.tree).toEqual([
      "src/ (1)",
      "  build/ (1): plan.ts",
      "web/ (1): package.json",
      "./: package.json",
    ]);
    git(target, "init", "-q");
    git(target, "add", "-f", ".");
    const listed = await contextOf(target);
    expect(listed.structure).toEqual({ ...walked.structure, listed_by: "git" });
  });

  it("D5 lists a target that lies inside a repository, and one that the repository ignores", async () => {
    const top = repositoryWith({
      ".gitignore": "ignored/\n*.tmp\n",
      "service/src/a.py": "",
      "service/x.tmp": "",
      "ignored/b.py": "",
      "other/c.py": "",
    });
    const inside = await contextOf(join(top, "service"));
    expect(inside.structure).toMatchObject({ listed_by: "git", tree: ["src/ (1): a.py"] });
    const ignored = await contextOf(join(top, "ignored"));
    expect(ignored.structure).toMatchObject({ listed_by: "walk", tree: ["./: b.py"] });
  });

  it("D5 shows three levels and no more, and says what it does not show", async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`big/file-${n}.ts`, ""]));
    const { structure } = await contextOf(folderWith({ ...many, "a/b/c/d/e.ts": "", "a/b/f.ts": "" }));
    expect(structure.tree).toContain("a/ (2)");
    expect(structure.tree).toContain("  b/ (2): c/, f.ts");
    expect(structure.tree.join("\n")).not.toContain("d/");
    expect(structure.tree.find((line) => line.startsWith("big/"))).toMatch(
      /^big\/ \(200\): file-0\.ts, .* … \d+ more$/,
    );
  });

  it("D5 says that a listing was cut", async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}/a.ts`, ""]));
    for (const target of [folderWith(many), repositoryWith(many)]) {
      const { structure, notes } = await contextOf(target, { files: 20 });
      expect(structure).toMatchObject({ files: 20, complete: false });
      expect(notes).toContain("not all files are seen, but the first 20");
    }
  });

  it("D5 lists tracked files that are gone, deleted folders and inner repositories without stumbling", async () => {
    const target = repositoryWith({ "src/a.ts": "export const a = 1;\n", "src/b.ts": "x\n" });
    git(target, "add", ".");
    rmSync(join(target, "src/a.ts"));
    write(target, { "inner/x.ts": "" });
    git(join(target, "inner"), "init", "-q");
    const { structure, samples } = await contextOf(target);
    expect(structure.listed_by).toBe("git");
    expect(samples.map(({ path }) => path)).toEqual(["src/b.ts"]);
  });
});

describe("layout and habits", () => {
  const code = (name: string) =>
    `import { other } from "./${name}.js";\n\nexport function doTheWork() {\n  return other;\n}\n`;

  it("D5 finds kebab-case files, camelCase functions, relative ES modules with extensions", async () => {
    const context = await contextOf(
      folderWith({
        "src/read-text.ts": code("a"),
        "src/write-text.ts": code("b"),
        "src/main.ts": code("c"),
        "test/read-text.test.ts": code("../src/read-text"),
      }),
    );
    expect(context.naming).toEqual([
      {
        language: "TypeScript",
        files: { style: "kebab-case", share: 1 },
        functions: { style: "camelCase", share: 1 },
      },
    ]);
    expect(context.imports).toMatchObject([
      { language: "TypeScript", paths: "relative", modules: "esm", extensions: "written" },
    ]);
    expect(context.imports[0]?.examples[0]).toBe('import { other } from "./c.js";');
    expect(context.source_layout).toEqual({ summary: "src/ (3)", folders: [{ path: "src", files: 3 }] });
    expect(context.test_layout).toMatchObject({
      kind: "separate",
      summary: "test/ (1), following the sources' folders, named *.test.ts",
    });
    expect(context.integration_requirements).toEqual([
      "sources: new files go under src/",
      "tests lie in test/ (1), following the sources' folders, named *.test.ts",
      "names: TypeScript files are in kebab-case",
      "imports: TypeScript: ES modules, relative paths, extensions written",
    ]);
  });

  it("D5 tells CommonJS, omitted extensions, aliases and tests beside the sources", async () => {
    const context = await contextOf(
      folderWith({
        "lib/fooBar.js": 'const a = require("./other");\nconst b = require("fs");\n',
        "lib/barBaz.js": 'const a = require("./fooBar");\n',
        "lib/fooBar.test.js": 'require("./fooBar");\n',
      }),
    );
    expect(context.imports).toMatchObject([{ modules: "cjs", extensions: "omitted", paths: "relative" }]);
    expect(context.naming[0]?.files).toEqual({ style: "camelCase", share: 1 });
    expect(context.test_layout).toMatchObject({ kind: "beside", patterns: ["*.test.js"] });
    const aliased = await contextOf(
      folderWith({ "src/a.ts": 'import x from "@/b";\nimport y from "@/c";\n' }),
    );
    expect(aliased.imports).toMatchObject([{ paths: "absolute" }]);
  });

  it("D5 tells absolute from relative imports in Python, and snake_case from others", async () => {
    const absolute = await contextOf(
      folderWith({
        "src/shop/order_line.py":
          "import os\nfrom shop.price_list import Price\n\ndef add_line(x):\n    pass\n",
        "src/shop/price_list.py": "class Price:\n    def to_text(self):\n        pass\n",
      }),
    );
    expect(absolute.imports).toMatchObject([
      { paths: "absolute", examples: ["from shop.price_list import Price"] },
    ]);
    expect(absolute.naming).toMatchObject([
      { files: { style: "snake_case" }, functions: { style: "snake_case", share: 1 } },
    ]);
    const relative = await contextOf(folderWith({ "shop/a.py": "from . import b\nfrom .b import c\n" }));
    expect(relative.imports).toMatchObject([{ paths: "relative" }]);
  });

  it("D5 finds no habit where there is none", async () => {
    const context = await contextOf(folderWith({ "a-b.ts": "", "c_d.ts": "", EF: "", "GhIj.ts": "" }));
    expect(context.naming[0]?.files).toEqual({ style: "mixed, mostly PascalCase", share: 0.33 });
    expect(context.integration_requirements.filter((line) => line.startsWith("names"))).toEqual([]);
  });

  it("D5 samples sources and tests, past a licence, never what is generated or huge", async () => {
    const long = Array.from({ length: 300 }, (_, n) => `export const value${n} = ${n};`).join("\n");
    const context = await contextOf(
      folderWith({
        "src/a.ts": `/*\n * Copyright 2020 Somebody\n * Licensed under MIT\n */\n${long}\n`,
        "src/deep/b.ts": long,
        "src/bundle.min.js": long,
        "src/generated/c.ts": long,
        "src/one-line.ts": `export const x = "${"x".repeat(20_000)}";\n`,
        "test/a.test.ts": long,
        ".env": "SECRET=1\n",
      }),
    );
    expect(context.samples.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      "source src/a.ts",
      "source src/deep/b.ts",
      "test test/a.test.ts",
    ]);
    const [first] = context.samples;
    expect(first?.text.startsWith("export const value0")).toBe(true);
    expect(first?.text.split("\n").length).toBeLessThanOrEqual(60);
    expect(JSON.stringify(context)).not.toContain("SECRET");
  });
});

describe("size and text", () => {
  const large = () => {
    const files: Record<string, string> = {};
    for (let n = 0; n < 200; n++) {
      const text = `export const text = "${"long ".repeat(20)}";\n`.repeat(100);
      files[`packages/package-with-a-long-name-${n}/src/module-${n}.ts`] = text;
      files[`packages/package-with-a-long-name-${n}/package.json`] = "{}";
    }
    const names = Array.from({ length: 900 }, (_, n) => [
      `@scope/dependency-with-a-long-name-${n}`,
      "^1.2.3",
    ]);
    files["package.json"] = JSON.stringify({
      workspaces: ["packages/*"],
      dependencies: Object.fromEntries(names),
    });
    return folderWith(files);
  };
  const bytes = (context: unknown) => Buffer.byteLength(JSON.stringify(context, null, 2));

  it("D5 stays under 20 kB for a normal project, and under 60 kB whatever there is", async () => {
    const normal = await contextOf(join(import.meta.dirname, "../.."));
    expect(bytes(normal)).toBeLessThan(20_000);
    expect(normal.samples.length).toBeGreaterThan(0);
    const target = large();
    const big = await contextOf(target);
    expect(bytes(big)).toBeLessThan(60_000);
    expect(big.notes).toContain("40 of 900 dependencies are listed");
    expect(big.notes).toContain("30 of 200 workspaces are listed");
    expect(bytes(await contextOf(target, { wishedBytes: 0, contextBytes: 5000 }))).toBeLessThan(5000);
  });

  it("D5 gives samples up before anything else when a project is larger than wished", async () => {
    const target = large();
    const all = await contextOf(target, { wishedBytes: 50_000 });
    expect(all.samples.length).toBeGreaterThan(0);
    expect(await contextOf(target, { wishedBytes: 1 })).toEqual({ ...all, samples: [] });
  });

  it("D5 shows the findings of this very repository in about 25 lines", async () => {
    const text = contextText(await contextOf(join(import.meta.dirname, "../..")));
    const lines = text.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(12);
    expect(lines.length).toBeLessThanOrEqual(28);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(110);
    expect(text).toMatch(/^stack {9}Node\.js, TypeScript, .* \(package\.json with npm\)$/m);
    expect(text).toMatch(/^test {10}npm test \(package\.json scripts\.test\)/m);
    expect(text).toMatch(/^set-up {8}npm ci \(package-lock\.json\)$/m);
  });

  it("D5 follows a link within the target", async () => {
    const target = folderWith({ "real.json": '{"scripts":{"test":"x"}}' });
    symlinkSync("real.json", join(target, "package.json"));
    writeFileSync(join(target, "a.js"), "");
    git(target, "init", "-q");
    expect((await contextOf(target)).commands).toMatchObject([{ run: "npm test" }]);
  });
});
