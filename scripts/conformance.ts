// Writes docs/conformance.md: which tests prove which requirement, read from the tests' own names. A test cites the
// requirements it proves at the head of its title, as in `it("D12 D14 …")` or `it("defect 3: D14 …")`, or its describe
// block does; a transcript does it in its first line. `node scripts/conformance.ts --check` only compares, and exits 1
// when the page is out of date.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs/conformance.md");

/** Families of requirements, and how many each has. */
const families: Readonly<Record<string, { readonly title: string; readonly count: number }>> = {
  C: { title: "Common to all protocols", count: 16 },
  D: { title: "Decomposition", count: 27 },
  X: { title: "Execution", count: 30 },
  L: { title: "Lifecycle", count: 20 },
  M: { title: "Mission", count: 13 },
  S: { title: "Tuning", count: 19 },
  U: { title: "Beyond the sources", count: 16 },
  G: { title: "Promises of the architecture", count: 10 },
};

export interface Citation {
  readonly ids: readonly string[];
  readonly title: string;
}

const one = String.raw`[CDXLMSUG]\d{1,2}(?:[–-][CDXLMSUG]?\d{1,2})?`;
const head = new RegExp(String.raw`^(?:defects? [\d, ]+:? )?((?:${one}[,:]?\s+)+)`);
const tail = new RegExp(String.raw`\(((?:${one}[,;]?\s*)+)\)$`);

/** The requirements that a title cites; `D6–D9` is four of them. Ids elsewhere in it are about something else. */
export function citedBy(title: string): string[] {
  const cited = `${head.exec(title)?.[1] ?? ""} ${tail.exec(title)?.[1] ?? ""}`;
  const ids = cited.matchAll(/([CDXLMSUG])(\d{1,2})(?:[–-][CDXLMSUG]?(\d{1,2}))?/g);
  const all = Array.from(ids, ([, family = "", from = "", to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => `${family}${Number(from) + at}`),
  );
  return [...new Set(all.flat())];
}

interface Syntax {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isSyntax = (value: unknown): value is Syntax =>
  value !== null && typeof value === "object" && typeof (value as Syntax).type === "string";

/** Every test of a file that cites a requirement, in order; what its describe blocks cite counts for it too. */
export function testsIn(text: string, path = "x.test.ts"): Citation[] {
  const found: Citation[] = [];
  visit(parseAst(text, { lang: "ts" }, path), [], found);
  return found;
}

function visit(value: unknown, around: readonly string[], found: Citation[]): void {
  if (Array.isArray(value)) for (const each of value) visit(each, around, found);
  if (!isSyntax(value)) return;
  const call = titledCall(value);
  if (call?.what === "test") {
    const citing = around.filter((title) => citedBy(title).length > 0);
    const own = citedBy(call.title);
    const ids = [...new Set([...citing.flatMap(citedBy), ...own])];
    const title = own.length > 0 ? call.title : [...citing, call.title].join(": ");
    if (ids.length > 0) found.push({ ids, title });
  }
  const inside = call?.what === "describe" ? [...around, call.title] : around;
  for (const each of Object.values(value)) visit(each, inside, found);
}

/** `it("…")`, `it.each(…)("…")`, `describe("…")`. What is skipped proves nothing. */
function titledCall(node: Syntax): { what: "test" | "describe"; title: string } | undefined {
  if (node.type !== "CallExpression") return undefined;
  const name = calledName(node.callee);
  const title = titleOf((node.arguments as readonly unknown[])[0]);
  if (title === undefined) return undefined;
  if (name === "it" || name === "test") return { what: "test", title };
  return name === "describe" ? { what: "describe", title } : undefined;
}

function calledName(callee: unknown): string | undefined {
  if (!isSyntax(callee)) return undefined;
  if (callee.type === "Identifier") return callee.name as string;
  if (callee.type === "MemberExpression") return isSkipped(callee) ? undefined : calledName(callee.object);
  if (callee.type === "CallExpression") return calledName(callee.callee);
  return callee.type === "TaggedTemplateExpression" ? calledName(callee.tag) : undefined;
}

function isSkipped({ property }: Syntax): boolean {
  return isSyntax(property) && (property.name === "skip" || property.name === "todo");
}

/** What a table or a variable fills in is shown as dots. */
function titleOf(node: unknown): string | undefined {
  if (!isSyntax(node)) return undefined;
  if (node.type === "Literal" && typeof node.value === "string") return blanked(node.value);
  if (node.type !== "TemplateLiteral") return undefined;
  const parts = (node.quasis as readonly { value: { cooked: string } }[]).map(({ value }) => value.cooked);
  return blanked(parts.join("…"));
}

function blanked(title: string): string {
  return title.replaceAll(/%[sdijo]|\$[a-z][\w.]*/g, "…");
}

interface Proof extends Citation {
  readonly file: string;
}

function proofs(): Proof[] {
  const names = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).sort();
  return names.flatMap((name): Proof[] => {
    const file = `test/${name.replaceAll("\\", "/")}`;
    if (name.endsWith(".ts"))
      return testsIn(readFileSync(join(root, file), "utf8"), file).map((test) => ({ ...test, file }));
    if (!/^transcripts[\\/].*\.txt$/.test(name)) return [];
    const title = /^# ?(.*)/.exec(readFileSync(join(root, file), "utf8"))?.[1] ?? "";
    const ids = citedBy(title);
    return ids.length > 0 ? [{ file, title, ids }] : [];
  });
}

function conformance(): string {
  const all = proofs();
  const idsOf = (family: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${family}${at + 1}`);
  const provenBy = (id: string) => all.filter(({ ids }) => ids.includes(id));
  const rows = Object.entries(families).map(([family, { title, count }]) => {
    const missing = idsOf(family, count).filter((id) => provenBy(id).length === 0);
    return `| ${family} | ${title} | ${count - missing.length} of ${count} | ${missing.join(", ") || "none"} |`;
  });
  const sections = Object.entries(families).flatMap(([family, { title, count }]) => {
    const proven = idsOf(family, count).filter((id) => provenBy(id).length > 0);
    return [`## ${family}. ${title}`, ...proven.map((id) => section(id, provenBy(id)))];
  });
  const intro = `# Conformance

Which tests prove which requirement. Written by \`node scripts/conformance.ts\` from the names of the tests, which cite
the requirements they prove; nothing here is edited by hand. That they pass is for CI to say.`;
  const summary = ["| | family | with a test | without one yet |", "|---|---|---|---|", ...rows].join("\n");
  return `${[intro, summary, ...sections].join("\n\n")}\n`;
}

function section(id: string, tests: readonly Proof[]): string {
  const rows = tests.map(
    ({ file, title }) => `| ${title.replaceAll("|", "\\|").replaceAll("\n", " ")} | \`${file}\` |`,
  );
  return [`### ${id}`, "", "| test | file |", "|---|---|", ...rows].join("\n");
}

function main(): void {
  const text = conformance();
  if (!process.argv.includes("--check")) {
    writeFileSync(page, text);
    return;
  }
  if (existsSync(page) && readFileSync(page, "utf8") === text) return;
  console.error("error: docs/conformance.md is not what the tests say\nhint: node scripts/conformance.ts");
  process.exitCode = 1;
}

if (import.meta.main) main();
