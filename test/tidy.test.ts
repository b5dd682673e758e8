// The rules of the house as tests: which folder may see which, a core without I/O, no import cycles, sizes, words.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, it } from "vitest";
import { commandNames } from "../src/cli/registry.ts";
import { packs } from "../src/packs/packs.ts";
import { unusedExports } from "./unused-exports.ts";

const root = resolve(import.meta.dirname, "..");
const src = join(root, "src");

/** Arrows point to `core`. A surface sees the engine, core and views. */
const sees: Readonly<Record<string, readonly string[]>> = {
  core: [],
  protocols: ["core"],
  journal: ["core"],
  host: ["core"],
  discovery: ["core", "host"],
  config: ["core", "protocols", "gateway"],
  gateway: ["core"],
  agents: ["core", "host", "gateway"],
  view: ["core", "protocols", "journal"],
  work: ["core", "host", "gateway", "agents", "protocols", "discovery", "view"],
  published: ["core", "journal", "host", "view"],
  places: ["core", "journal", "host", "work"],
  engine: ["core", "protocols", "journal", "host", "view", "work", "published", "places"],
  queue: ["core", "journal", "work"],
  orders: [
    ...["core", "protocols", "journal", "host", "gateway", "config", "agents", "work", "engine", "places"],
    "queue",
  ],
  command: ["core", "journal", "host", "agents", "view", "work", "orders", "engine"],
  packs: [
    ...["core", "protocols", "journal", "host", "config", "agents", "discovery", "view"],
    ...["work", "orders", "engine", "places", "keep", "standby", "watch", "page", "command"],
  ],
  hostloop: ["core", "protocols", "journal", "host", "work", "orders", "engine"],
  keep: ["core", "protocols", "journal", "host", "view", "work", "orders", "engine", "published"],
  standby: ["core", "journal", "host", "work", "engine"],
  watch: ["core", "protocols", "journal", "host", "config", "agents", "view", "work", "orders", "engine"],
  doctor: ["core", "journal", "host", "gateway", "config", "agents", "discovery", "view", "orders", "engine"],
  page: [
    ...["core", "protocols", "journal", "host", "config", "agents", "view", "work", "orders", "engine"],
    ...["published", "keep", "watch", "command"],
  ],
  mcp: ["core"],
  cli: [
    ...["core", "protocols", "journal", "host", "view", "mcp", "command"],
    ...[
      "engine",
      "published",
      "orders",
      "work",
      "packs",
      "hostloop",
      "keep",
      "watch",
      "doctor",
      "page",
      "standby",
      "queue",
    ],
  ],
  ".": ["core", "engine", "view", "protocols", "packs", "cli"],
};

const limits = { fileLines: 400, functionLines: 60, parameters: 3 };

interface Source {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly { readonly target: string; readonly typeOnly: boolean }[];
}

const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => read(join(src, name)));

/** The page in a browser: a room of its own beside src. */
const pageFolder = join(root, "page");
const pageSources = readdirSync(pageFolder, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => read(join(pageFolder, name)));

function read(file: string): Source {
  const text = readFileSync(file, "utf8");
  const path = relative(src, file);
  const found = text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm);
  const imports = [...found].map(([, typeOnly, from, lazily]) => {
    const target = from ?? lazily ?? "";
    return {
      target: target.startsWith(".") ? relative(src, join(dirname(file), target)) : target,
      typeOnly: typeOnly !== undefined,
    };
  });
  return { path, folder: path.includes("/") ? (path.split("/")[0] ?? ".") : ".", text, imports };
}

const isOurs = (target: string) => target.endsWith(".ts");
const folderOf = (target: string) => (target.includes("/") ? (target.split("/")[0] ?? ".") : ".");

/** What is no agent's: heddle's own view, a role's skill, the person's script and programs. A clean room lists names and reads nothing. */
const ownFiles = [
  "published/write-view.ts",
  "work/given/skill.ts",
  "agents/scripted.ts",
  "agents/find-native.ts",
  "work/evidence/clean-room.ts",
];

describe("tidy", () => {
  it("finds the sources", () => {
    expect(sources.length).toBeGreaterThan(50);
  });

  it("lets arrows point one way only", () => {
    const wrong = sources.flatMap(({ path, folder, imports }) =>
      imports
        .filter(({ target }) => isOurs(target) && folderOf(target) !== folder)
        .filter(({ target }) => !sees[folder]?.includes(folderOf(target)))
        .map(({ target }) => `${path} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("names the stores of journals in one place, and SQLite in journal/ alone", () => {
    const ofStore = sources.filter(({ imports }) =>
      imports.some(({ target }) =>
        /^journal\/(?:(?:local|sqlite|schema|rows|failure|trial|verify|moved)\.ts$|postgres\/)/.test(target),
      ),
    );
    const outside = ofStore.filter(({ folder }) => folder !== "journal").map(({ path }) => path);
    // The queue of workers is in the same database, by the same connection.
    expect(outside).toEqual(["cli/composition.ts", "queue/open.ts"]);
    const named = sources.filter(
      ({ folder, text }) => folder !== "journal" && /node:sqlite|heddle\.db\b/.test(text),
    );
    // The sentence that says which file is gone; and the seal of a view, which says nothing of where facts are kept.
    expect(named.map(({ path }) => path)).toEqual(["engine/lost.ts"]);
  });

  it("has no room with more than 25 files side by side", () => {
    const rooms = Map.groupBy([...sources, ...pageSources], ({ path }) => dirname(path));
    const crowded = [...rooms].filter(([, files]) => files.length > 25);
    expect(crowded.map(([room, files]) => `${room}: ${files.length}`)).toEqual([]);
  });

  it("says once in every room what it is for and what it may touch, at the top of its first file to read", () => {
    const opening = /^\/\/ The room [^\n]+\n(?:\/\/ [^\n]+\n)+\/\/\n\/\/ /;
    const said = sources.filter(({ path, text }) => dirname(path) !== "." && opening.test(text));
    const own = said.filter(({ path, folder }) => dirname(path) === folder).map(({ folder }) => folder);
    const rooms = Object.keys(sees).filter((room) => room !== ".");
    expect(own.sort()).toEqual(rooms.sort());
  });

  it("keeps the engine to the loop: at most 1,500 lines", () => {
    const lines = sources
      .filter(({ folder }) => folder === "engine")
      .map(({ text }) => text.split("\n").length);
    expect(lines.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(1500);
  });

  it("runs nothing after set-up with the machine's own Node: a shell has looked it up before the other was there", () => {
    const scripts = Object.values(
      (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> })
        .scripts,
    ).join("\n");
    expect(scripts.match(/&& node (?!dist\/heddle\.js)\S+/g)).toBeNull();
    expect(scripts).toContain("&& node_modules/.bin/node scripts/test.js");
  });

  it("lets the page see the types of its model, and of src only what computes words and amounts", () => {
    const mayImport = ["view/amount.ts", "view/safe.ts"];
    const wrong = pageSources.flatMap(({ path, imports }) =>
      imports
        .filter(({ target, typeOnly }) => !typeOnly && !target.startsWith("../page/"))
        .filter(({ target }) => !/^(?:preact(?:\/hooks)?|@preact\/signals)$/.test(target))
        .filter(({ target }) => !mayImport.includes(target))
        .map(({ target }) => `${path} -> ${target}`),
    );
    expect(pageSources.length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });

  it("U4 makes no markup of a text on the page: no innerHTML, no HTML from a string, no eval", () => {
    const markup =
      /innerHTML|outerHTML|insertAdjacent|document\.write|DOMParser|createContextualFragment|srcdoc|\beval\b|new Function/;
    expect(pageSources.filter(({ text }) => markup.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("names no protocol outside of its pack", () => {
    const wrong = sources
      .filter(({ folder }) => folder !== "packs")
      .flatMap(({ path, text }) => namesIn(path, text).map((name) => `${path}: ${name}`));
    expect(packs.length).toBeGreaterThan(3);
    // Names of a phase and of a role, which a person writes into the configuration: no protocol is meant by them.
    expect(wrong.sort()).toEqual(["config/config.ts: mission-planner", "config/config.ts: tuning"]);
  });

  it("C5 keeps the core free of I/O, clocks, randomness and await", () => {
    const impure =
      /\bnode:|\bawait\b|\basync\b|\bDate\b|\bMath\.random\b|\bsetTimeout\b|\bprocess\.|\bfetch\(|\bconsole\b|\bperformance\b/;
    const wrong = sources
      .filter(({ folder }) => folder === "core")
      .flatMap(({ path, text }) =>
        codeLines(text)
          .filter((line) => impure.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(wrong).toEqual([]);
  });

  it("turns hints into something to type in view/hint.ts alone, and never by looking for words in a text", () => {
    const commands = [...new Set(commandNames.map((name) => name.split(" ")[0]))].join("|");
    const typed = new RegExp(`(?:hint: |, or: |, then: )heddle (?:${commands})\\b|\\bhint: ["'\`]heddle `);
    const wrong = sources.flatMap(({ path, text }) =>
      codeLines(text)
        .filter((line) => typed.test(line) && !line.includes("halt: {"))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps protocols and views pure as well, but for dates that are shown", () => {
    const impure = /"node:|\bawait\b|\bMath\.random\b|\bDate\.now\b|\bnew Date\b/;
    const wrong = sources
      .filter(({ folder }) => folder === "protocols" || folder === "view")
      .flatMap(({ path, text }) =>
        codeLines(text)
          .filter((line) => impure.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(wrong).toEqual([]);
  });

  it("tells things apart by values, not by the words of a sentence", () => {
    // Words of other programs: npm's, V8's and git's. The pane of the REPL is drawn from lines.
    const others = [
      "discovery/stacks/node.ts",
      "protocols/yaml.ts",
      "host/git/snapshot.ts",
      "cli/repl/drawn.ts",
    ];
    const sentence = /\.(?:startsWith|endsWith|includes)\(\s*["'`][^"'`]*[a-z] [a-z][^"'`]*["'`]/;
    const wrong = sources.filter(({ path, text }) => sentence.test(text) && !others.includes(path));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it("C14 parses text from outside in one bounded place for each language", () => {
    // Rows of the journal carry a checksum of heddle's own, and are read at every start.
    const mayParse = [
      "core/json.ts",
      "journal/row.ts",
      "journal/rows.ts",
      "journal/head.ts",
      "journal/verify.ts",
    ];
    const parsers: Readonly<Record<string, readonly string[]>> = {
      yaml: ["protocols/yaml.ts"],
      jsonrepair: ["protocols/repair.ts"],
      "jsonc-parser": [
        ...[
          "protocols/document.ts",
          "config/config.ts",
          "config/devcontainer.ts",
          "discovery/stacks/json.ts",
        ],
      ],
      "mdast-util-from-markdown": ["packs/tuning/skill/markdown.ts"],
    };
    const wrong = sources.flatMap(({ path, text, imports }) => [
      ...(callsParse(path, text) && !mayParse.includes(path) ? [`${path}: JSON.parse`] : []),
      ...imports
        .filter(({ target, typeOnly }) => !typeOnly && parsers[target]?.includes(path) === false)
        .map(({ target }) => `${path}: ${target}`),
    ]);
    expect(wrong).toEqual([]);
  });

  it("exports nothing that only its own file uses, and has nothing that only tests use", () => {
    expect(unusedExports(root)).toEqual([
      // The journal's second implementation, which the simulation runs on.
      "journal/memory.ts: MemoryJournal",
      "packs/registry.ts: protocolNamed",
    ]);
  });

  it("has no import cycle", () => {
    expect(
      findCycle(
        new Map(
          sources.map(({ path, imports }) => [
            path,
            imports.filter((each) => !each.typeOnly && isOurs(each.target)).map((each) => each.target),
          ]),
        ),
      ),
    ).toBeUndefined();
  });

  it(`keeps files within ${limits.fileLines} lines, functions within ${limits.functionLines}, parameters within ${limits.parameters}`, () => {
    const both = [...sources, ...pageSources];
    const long = both
      .filter(({ text }) => text.split("\n").length > limits.fileLines + 1)
      .map(({ path }) => path);
    const functions = both.flatMap(({ path, text }) =>
      functionsOf(path, text)
        .filter(({ lines, parameters }) => lines > limits.functionLines || parameters > limits.parameters)
        .map(({ name, lines, parameters }) => `${path} ${name}: ${lines} lines, ${parameters} parameters`),
    );
    expect([...long, ...functions]).toEqual([]);
  });

  it("G9 reads what agents leave through one function only (host/handed-in.ts)", () => {
    const reads =
      /\b(?:readText|readIfThere|readHead|readFileSync|openSync|createReadStream|readFile|fileDigest)\(/;
    const lists = /\b(?:readdirSync|opendirSync|readdir|opendir|listAll|cpSync|copyFileSync)\(/;
    const writes = /\b(?:writeFileSync|appendFileSync|createWriteStream|writeFile|appendFile)\(/;
    const knowsAttempts = /\b(?:attemptFolder|roleFolder|AttemptFolder|RoleFolder|Scene)\b|"attempts"/;
    const wrong = sources
      .filter(({ path, folder, text }) => {
        const isNear = folder === "work" || folder === "agents";
        return (isNear || knowsAttempts.test(text)) && !ownFiles.includes(path);
      })
      .flatMap(({ path, folder, text }) =>
        codeLines(text)
          // `fileOf` is where a run's own documents lie, which heddle or a person wrote.
          .filter((line) => !line.includes("fileOf(run") && !line.includes("fileOf(scene.run"))
          .filter(
            (line) =>
              reads.test(line) ||
              writes.test(line) ||
              (["work", "agents"].includes(folder) && lists.test(line)),
          )
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(wrong).toEqual([]);
  });

  it("opens every file with what lives there", () => {
    const silent = [...sources, ...pageSources].filter(({ text }) => !/^(#!.*\n)?\/\//.test(text));
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it("uses no word that says nothing", () => {
    const empty = /(^|[/-])(utils?|helpers?|common|manager|service|handler|base|impl|data|info)([.-]|$)/;
    const named = [...sources, ...pageSources].filter(({ path }) => empty.test(path));
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  it("speaks plain, current English in code, roles and documents", () => {
    const idiom = /\b(?:nobody's|mend(?:s|ed|ing)?|dear(?:er|est)?|whosever)\b/i;
    const pages = ["docs", "roles", "."].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: folder !== ".", encoding: "utf8" })
        .filter((name) => name.endsWith(".md") && name !== "CONTRIBUTING.md")
        .map((name) => ({ path: join(folder, name), text: readFileSync(join(root, folder, name), "utf8") })),
    );
    expect(pages.length).toBeGreaterThan(10);
    const wrong = [...sources, ...pageSources, ...pages].flatMap(({ path, text }) =>
      text
        .split("\n")
        .filter((line) => idiom.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(wrong).toEqual([]);
  });

  it("G9 starts no program by its bare name: `ownProgram` says where each of heddle's own is", () => {
    /** Paths, found before: the box, the installed Node, and what a person or a plan asked to be run. */
    const variables: Readonly<Record<string, readonly string[]>> = {
      "host/box/bubblewrap.ts": ["path"],
      "host/box/container.ts": ["path", "sandbox.path"],
      "host/box/container-find.ts": ["path"],
      "host/box/seatbelt.ts": ["box.sandbox.path"],
      "host/program/launch.ts": ["file"],
      "cli/start-again.ts": ["node"],
    };
    const isFound = (path: string, program: string) =>
      /^ownProgram\("[a-z-]+"\)$|^process\.execPath$|^"\//.test(program) ||
      variables[path]?.includes(program) === true;
    const starts = sources.flatMap(({ path, text }) =>
      /"node:child_process"/.test(text)
        ? programsStarted(path, text).map((program) => ({ path, program }))
        : [],
    );
    expect(starts.length).toBeGreaterThan(10);
    expect(starts.filter(({ path, program }) => !isFound(path, program))).toEqual([]);
  });

  it("has no any, no suppressed error and no loose end", () => {
    const loose = /: any\b|\bas any\b|= any;|@ts-ignore|@ts-expect-error|\bTODO\b|\bFIXME\b|\bXXX\b/;
    const wrong = [...sources, ...pageSources].flatMap(({ path, text }) =>
      text
        .split("\n")
        .filter((line) => loose.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps what a newcomer reads first under 300 lines", () => {
    const first = ["core/run.ts", "core/step.ts", "engine/loop.ts"];
    const lines = first.map((name) => readFileSync(join(src, name), "utf8").split("\n").length);
    expect(lines.reduce((sum, n) => sum + n, 0)).toBeLessThan(300);
  });
});

const protocolNames = packs.map(({ name }) => name);
/** `mission`, `openMission`, `missions`: as a word of its own, or as a part of a name. */
const isNamed = (word: string) =>
  protocolNames.some((name) => new RegExp(`(^|[^a-z])${name}s?($|[^a-z])`, "i").test(spelled(word)));
const spelled = (word: string) => word.replace(/([a-z])([A-Z])/g, "$1 $2");

/** Protocols that a file names: as identifiers, and in texts, import paths among them. */
function namesIn(path: string, text: string): string[] {
  if (!isNamed(text)) return [];
  const found = new Set<string>();
  const open: unknown[] = [parseAst(text, { lang: "ts" }, path)];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== "object") continue;
    const { type, name, value: literal } = value as Syntax;
    const words = type === "Identifier" || type === "PrivateIdentifier" ? name : literal;
    const raw = type === "TemplateElement" ? (literal as { raw: string }).raw : words;
    if (typeof raw === "string" && isNamed(raw)) found.add(raw);
    open.push(...Object.values(value));
  }
  return [...found];
}

function codeLines(text: string): string[] {
  return text.split("\n").filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line));
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (path: readonly string[]): string[] | undefined => {
    const at = path.at(-1) ?? "";
    if (path.indexOf(at) < path.length - 1) return [...path.slice(path.indexOf(at))];
    if (done.has(at)) return undefined;
    for (const target of graph.get(at) ?? []) {
      const cycle = visit([...path, target]);
      if (cycle) return cycle;
    }
    done.add(at);
    return undefined;
  };
  for (const start of graph.keys()) {
    const cycle = visit([start]);
    if (cycle) return cycle;
  }
  return undefined;
}

const starters = new Set(["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"]);

/** The first argument of every call that starts a process, as it is written. */
function programsStarted(path: string, text: string): string[] {
  const found: string[] = [];
  const open: unknown[] = [parseAst(text, { lang: "ts" }, path)];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== "object") continue;
    const { type, callee, arguments: given } = value as Syntax;
    const [program] = Array.isArray(given) ? (given as Syntax[]) : [];
    const name = type === "CallExpression" ? (callee as Syntax).name : undefined;
    if (program && typeof name === "string" && starters.has(name))
      found.push(text.slice(program.start, program.end));
    open.push(...Object.values(value));
  }
  return found;
}

interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** By the syntax tree: the words may stand in a text that is written into a skill. */
function callsParse(path: string, text: string): boolean {
  if (!text.includes("JSON.parse") && !/JSON\s*[[?]|=\s*JSON\b/.test(text)) return false;
  const open: unknown[] = [parseAst(text, { lang: "ts" }, path)];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== "object") continue;
    const { type, object, init } = value as Syntax & { object?: Named; init?: Named };
    const { property } = value as { property?: Named & { value?: unknown } };
    const isParse = property?.name === "parse" || property?.value === "parse";
    if (type === "MemberExpression" && object?.name === "JSON" && isParse) return true;
    if (type === "VariableDeclarator" && init?.name === "JSON") return true;
    open.push(...Object.values(value));
  }
  return false;
}

interface Named {
  readonly name?: string;
}

/** Every function of a file, by its syntax tree. */
function functionsOf(path: string, text: string): { name: string; lines: number; parameters: number }[] {
  const found: { name: string; lines: number; parameters: number }[] = [];
  const open: unknown[] = [parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }, path)];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== "object") continue;
    const { type, start, end, params } = value as Syntax;
    if (
      type === "FunctionDeclaration" ||
      type === "FunctionExpression" ||
      type === "ArrowFunctionExpression"
    ) {
      const body = text.slice(start, end);
      found.push({
        name: body.slice(0, 40).split("\n")[0] ?? "",
        lines: body.split("\n").length,
        parameters: (params as unknown[]).length,
      });
    }
    open.push(...Object.values(value));
  }
  return found;
}
