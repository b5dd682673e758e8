// Texts that make a parser take for ever: the smallest pieces of every language that heddle reads, repeated to a hundred
// kilobytes, as manifests, sources, skills and specifications. What is measured is the processor's time, not the clock.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { discoverProject } from "../../src/discovery/discover.ts";
import { quotations } from "../../src/packs/decomposition/checks/quotation.ts";
import {
  excludedSections,
  headingsOf,
  specRequirements,
} from "../../src/packs/decomposition/checks/specification.ts";
import { measure } from "../../src/packs/tuning/skill/measure.ts";
import { readSkill } from "../../src/packs/tuning/skill/read.ts";
import { tokensOf } from "../../src/packs/tuning/skill/tokens.ts";
import { repairDocument } from "../../src/protocols/repair.ts";
import { interfaceOf } from "../../src/work/given/interfaces.ts";

const mostMs = 3_000;
const long = (piece: string, size = 100_000) => piece.repeat(Math.ceil(size / piece.length));

const pieces: readonly string[] = [
  ..." |\n|\t|a|1|.|/|-|_|(|[|]|{|}|\"|'|`|\\|#|=|,|$|*|<|>|~|:|&|é".split("|"),
  ...[
    '\\"',
    "${",
    "`${",
    "{{",
    "](",
    "[a](",
    "![",
    "a*",
    "*a ",
    "_a ",
    "**",
    "~~",
    "<a ",
    "<!--",
    "| a ",
    "| a |\n",
    "> ",
    "> > ",
    "- ",
    "1. ",
    "# ",
    "\n#",
  ],
  ...[
    "[[a]]\n",
    "[a]\n",
    "a = ",
    "a={",
    '"a" ,',
    "a: ",
    "a:\n",
    "&a [*a]\n",
    "from ",
    "import ",
    "#include <a/",
    "require ",
    "gem ",
    "implementation ",
    "<dependency>",
    "<Package ",
  ],
  ...[
    "def f(",
    "class A ",
    "a b. ",
    "paste full text in ",
    "append response to ",
    "parse output JSON ",
    "check ",
    "Task(",
    'Read("',
    "state.json ",
    "`a.json` ",
    "max_a = 1 ",
    "[CONSTRAINTS]\n",
    "[TASK] ",
  ],
  ...[
    "```\n",
    "~~~\n",
    "[^1]",
    "[a]: b\n",
    "http://a",
    "a@b.c ",
    "/*",
    "//",
    '"""',
    "'''",
    "\r",
    "\r\n",
    "\u00a0",
    "must not ",
    "REQ-1: ",
    "public void f() {",
  ],
];

/** The pieces that took too long, and what else went wrong. */
async function slowOnes(work: (text: string, piece: string) => unknown): Promise<string[]> {
  const slow: string[] = [];
  for (const piece of pieces) {
    const before = process.cpuUsage();
    try {
      await work(long(piece), piece);
    } catch (error) {
      slow.push(`${JSON.stringify(piece)} ${String((error as Error).stack).slice(0, 300)}`);
    }
    const { user, system } = process.cpuUsage(before);
    if (user + system > mostMs * 1000)
      slow.push(`${JSON.stringify(piece)} took ${Math.round((user + system) / 1000)} ms`);
  }
  return slow;
}

async function inFolder<T>(
  files: Readonly<Record<string, string>>,
  work: (folder: string) => T,
): Promise<Awaited<T>> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-slow-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const manifests = [
  ...[
    "package.json",
    "tsconfig.json",
    "pyproject.toml",
    "Cargo.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "requirements.txt",
  ],
  ...[
    "go.mod",
    "go.work",
    "pom.xml",
    "build.gradle",
    "settings.gradle",
    "Gemfile",
    "a.gemspec",
    "composer.json",
    "CMakeLists.txt",
  ],
  ...[
    "meson.build",
    "Makefile",
    "justfile",
    "a.csproj",
    "a.sln",
    "mix.exs",
    "pubspec.yaml",
    "Package.swift",
    "pnpm-workspace.yaml",
  ],
  ...[
    "src/a.py",
    "src/a.ts",
    "src/a.c",
    "src/a.go",
    "src/A.java",
    "README.md",
    "Rakefile",
    "conanfile.txt",
    "AGENTS.md",
  ],
];

it("D5 a manifest or a source of a hundred kilobytes is discovered in bounded time", async () => {
  const slow = await slowOnes((text) =>
    inFolder(Object.fromEntries(manifests.map((name) => [name, text])), (folder) => discoverProject(folder)),
  );
  expect(slow).toEqual([]);
}, 900_000);

const skills: Readonly<Record<string, (text: string) => string>> = {
  body: (text) => `---\nname: a\ndescription: b\n---\n\n# A\n\n${text}`,
  code: (text) => `# A\n\n\`\`\`ts\n${text}\n\`\`\`\n`,
  json: (text) => `# State schema\n\n\`\`\`json\n${text}\n\`\`\`\n`,
  shell: (text) => `# A\n\n\`\`\`sh\n${text}\n\`\`\`\n`,
  front: (text) => `---\nname: a\ndescription: ${text}\n---\n\n# A\n`,
  title: (text) => `# ${text}\n\ntext\n`,
};

it.each(Object.entries(skills))(
  "S3 a skill of thirty kilobytes of one piece in its %s is measured in bounded time",
  async (_, wrap) => {
    const slow = await slowOnes((_text, piece) =>
      inFolder({ "SKILL.md": wrap(long(piece, 30_000)) }, (folder) => {
        const skill = readSkill({ entry: join(folder, "SKILL.md"), kind: "skill" });
        if (!("code" in skill)) measure(skill);
      }),
    );
    expect(slow).toEqual([]);
  },
  900_000,
);

it.each([" ", "\n", "\t", "\r\n"])("S3 a run of blanks (%j) is measured in bounded time", (blank) => {
  const before = process.cpuUsage();
  expect(tokensOf(blank.repeat(100_000))).toBeGreaterThan(0);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(mostMs * 1000);
});

it("D21 a specification, an answer or a source is read in linear time", async () => {
  const slow = await slowOnes((text) => [
    headingsOf(text),
    specRequirements(text),
    quotations(text, excludedSections(text))("The notebook keeps every note."),
    repairDocument(text),
    repairDocument(`{ "a": [ ${text}`),
    ...["a.py", "a.ts", "a.java", "a.go"].map((name) => interfaceOf(name, text)),
  ]);
  expect(slow).toEqual([]);
}, 900_000);
