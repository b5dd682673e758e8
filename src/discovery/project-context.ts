// artifacts/project-context.json (D5): what heddle found out about an existing project before it asked anything. Every
// planning bundle holds it, so it is plain JSON, small, and the same for the same files: no times, no machine.
// Lists are cut by `cut-to-size.ts`, which says so in `notes`.
import * as z from "zod";

const path = z.string().describe("relative to the target directory, with forward slashes; `.` is the target");
const count = z.int().min(0);
const share = z.number().min(0).max(1).describe("of the names that were looked at");

const stack = z.object({
  name: z.string().describe("Node.js, Python, Rust, Go, Java, .NET, Ruby, PHP, C/C++ …"),
  language: z.string(),
  tool: z.string().nullable().describe("the package manager or build tool"),
  version: z.string().nullable().describe("the version that the project asks for, as it is written there"),
  root: path,
  manifest: path.describe("the file that gave it away"),
});

const command = z.object({
  purpose: z.enum(["test", "lint", "format", "types", "build", "check"]),
  run: z.string(),
  cwd: path,
  found_in: z.string().describe("the file, and the place in it"),
  declared: z
    .boolean()
    .describe(
      "true: the project names this command itself; false: it is what its tool is usually called with",
    ),
  does: z.string().optional().describe("what a script stands for"),
  network: z.literal(true).optional().describe("it reaches out, by its words"),
  changes_files: z.literal(true).optional().describe("it changes files, by its words: no gate"),
  on_base: z
    .enum(["green", "red"])
    .optional()
    .describe("what heddle saw when it ran it once, in a copy of the base; missing: it was not run"),
});

const setup = z.object({
  run: z.string(),
  cwd: path,
  lock_file: path.nullable(),
  found_in: path,
});

const dependency = z.object({
  name: z.string(),
  version: z.string().nullable(),
  kind: z.enum(["runtime", "dev"]),
  manifest: path,
});

const folder = z.object({ path, files: count });

const naming = z.object({
  language: z.string(),
  files: z.object({ style: z.string(), share }).nullable(),
  functions: z.object({ style: z.string(), share }).nullable(),
});

const imports = z.object({
  language: z.string(),
  paths: z.enum(["relative", "absolute", "mixed"]),
  modules: z.enum(["esm", "cjs", "mixed"]).optional(),
  extensions: z.enum(["written", "omitted", "mixed"]).optional(),
  examples: z.array(z.string()),
});

const sample = z.object({
  path,
  kind: z.enum(["source", "test"]),
  lines: count.describe("of the whole file, as far as it was read"),
  text: z.string().describe("its first lines"),
});

const ownContext = z.object({
  path,
  name: z.string().nullable(),
  stack: z.string(),
  language: z.string(),
  tool: z.string().nullable(),
  manifest: path,
  test_framework: z.string().nullable().describe("what its test command runs, else what it has installed"),
  commands: z.array(command),
  dependencies: z.array(dependency.omit({ manifest: true })),
});

export const projectContext = z
  .object({
    version: z.literal("1.0"),
    target_dir: z.string().describe("absolute"),
    project_type: z.enum(["new", "existing"]).describe("`new` when the target holds no file"),
    stack: z.string().describe("all stacks in one line"),
    stacks: z.array(stack),
    languages: z.array(z.object({ language: z.string(), files: count })),
    structure: z.object({
      listed_by: z
        .enum(["git", "walk"])
        .describe("`git` honours .gitignore; `walk` knows the usual names only"),
      files: count,
      complete: z.boolean(),
      tree: z
        .array(z.string())
        .describe(
          "three levels: a line for every folder of the first two, with what is in it; numbers count files",
        ),
    }),
    config_files: z.array(path),
    source_layout: z.object({ summary: z.string(), folders: z.array(folder) }),
    test_layout: z.object({
      summary: z.string(),
      kind: z.enum(["separate", "beside", "mixed", "inline", "none"]),
      folders: z.array(folder),
      patterns: z.array(z.string()),
      mirrors_source: z.boolean(),
      shared: z.array(path).describe("fixtures and set-up that tests have in common"),
    }),
    naming: z.array(naming),
    imports: z.array(imports),
    commands: z.array(command),
    setup: z.array(setup),
    dependencies: z.array(dependency),
    entry_points: z.array(z.object({ path, why: z.string() })),
    workspaces: z.array(z.object({ path, tool: z.string() })),
    packages: z.array(ownContext).optional().describe("one for each member of a workspace"),
    test_framework: z.string().nullable().optional(),
    integration_requirements: z.array(z.string()),
    samples: z.array(sample),
    notes: z.array(z.string()).describe("what was left out or could not be read, and why"),
  })
  .meta({
    title: "Project context",
    description: "artifacts/project-context.json: what discovery found in an existing target.",
  });

export type ProjectContext = z.infer<typeof projectContext>;
export type Stack = z.infer<typeof stack>;
export type Command = z.infer<typeof command>;
export type Purpose = Command["purpose"];
export type Setup = z.infer<typeof setup>;
export type Dependency = z.infer<typeof dependency>;
export type Folder = z.infer<typeof folder>;
export type EntryPoint = ProjectContext["entry_points"][number];
export type Workspace = ProjectContext["workspaces"][number];
export type TestLayout = ProjectContext["test_layout"];
export type SourceLayout = ProjectContext["source_layout"];
export type Naming = z.infer<typeof naming>;
export type Imports = z.infer<typeof imports>;
export type Sample = z.infer<typeof sample>;
