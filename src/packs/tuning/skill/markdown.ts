// Markdown taken apart by a parser: front matter, headings, statements, code blocks, tables and references, each with
// its lines. What the diagnoses look for in prose and code is looked for in these parts, never in the raw text.
import type { Nodes, Parents, Root, TableRow } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { frontmatterFromMarkdown } from "mdast-util-frontmatter";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { frontmatter } from "micromark-extension-frontmatter";
import { gfm } from "micromark-extension-gfm";
import { parseYaml } from "../../../protocols/yaml.ts";
import type { Block, FrontMatter, Lines, Reference, Row, Section, SkillFile, Statement } from "./skill.ts";
import { tamed } from "./tame.ts";

type Parts = Omit<SkillFile, "path" | "text" | "lines" | "tokens" | "json">;

const warnings =
  /\b(anti-?patterns?|mistakes?|don'?ts?|do not|avoid|wrong|bad|incorrect|pitfalls?|never do|not to do|what not)\b/i;

const keptCharacters = 2_000_000;
const kept = new Map<string, Parts>();

/** Each action of a tuning looks at the same files again: those read last are kept. */
export function parseMarkdown(text: string): Parts {
  const found = kept.get(text) ?? parsed(text);
  kept.delete(text);
  kept.set(text, found);
  let size = 0;
  for (const each of kept.keys()) size += each.length;
  for (const oldest of kept.keys()) {
    if (size <= keptCharacters || oldest === text) break;
    kept.delete(oldest);
    size -= oldest.length;
  }
  return found;
}

function parsed(text: string): Parts {
  const tree: Root = fromMarkdown(tamed(text), {
    extensions: [gfm(), frontmatter(["yaml"])],
    mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown(["yaml"])],
  });
  const found = new Finder(text);
  for (const child of tree.children) found.visit(child);
  return { front: frontOf(tree, text), ...found.parts() };
}

function linesOf(node: Nodes): Lines {
  return { line: node.position?.start.line ?? 1, endLine: node.position?.end.line ?? 1 };
}

/** What a reader sees, code marks included as they stand: a path in them is a path. */
function shown(node: Nodes): string {
  if (node.type === "inlineCode") return `\`${node.value}\``;
  if (node.type === "break") return " ";
  if ("value" in node && node.type !== "html") return node.value;
  return "children" in node ? (node as Parents).children.map((child) => shown(child as Nodes)).join("") : "";
}

class Finder {
  readonly #lines: readonly string[];
  readonly #sections: { title: string; depth: number; line: number; endLine: number }[] = [];
  readonly #statements: Statement[] = [];
  readonly #blocks: Block[] = [];
  readonly #rows: Row[] = [];
  readonly #references: Reference[] = [];
  #above: { title: string; depth: number }[] = [];
  #before = "";

  constructor(text: string) {
    this.#lines = text.split("\n");
  }

  parts(): Omit<Parts, "front"> {
    return {
      sections: this.#ended(),
      statements: this.#statements,
      blocks: this.#blocks,
      rows: this.#rows,
      references: this.#references,
    };
  }

  /** A section ends where the next heading of its own or a higher level begins. */
  #ended(): Section[] {
    return this.#sections.map((section, at) => {
      const next = this.#sections.slice(at + 1).find(({ depth }) => depth <= section.depth);
      return { ...section, endLine: (next?.line ?? this.#lines.length + 1) - 1 };
    });
  }

  visit(node: Nodes): void {
    if (node.type === "heading") this.#heading(node);
    else if (node.type === "paragraph") this.#statement(node, "paragraph");
    else if (node.type === "code") this.#block(node);
    else if (node.type === "table") node.children.forEach((row, at) => void this.#row(row, at));
    else if ("children" in node) {
      const isItem = node.type === "listItem";
      for (const child of node.children as Nodes[]) {
        if (isItem && child.type === "paragraph") this.#statement(child, "item");
        else this.visit(child);
      }
    }
  }

  #heading(node: Nodes & { type: "heading" }): void {
    const title = shown(node).trim();
    this.#above = [...this.#above.filter(({ depth }) => depth < node.depth), { title, depth: node.depth }];
    this.#sections.push({ title, depth: node.depth, ...linesOf(node) });
    this.#before = "";
  }

  get #under(): string[] {
    return this.#above.map(({ title }) => title.toLowerCase());
  }

  #isWarning(words = ""): boolean {
    return warnings.test(words) || this.#above.slice(1).some(({ title }) => warnings.test(title));
  }

  #statement(node: Nodes, form: Statement["form"]): void {
    const text = shown(node).replace(/\s+/g, " ").trim();
    if (text === "") return;
    this.#before = text;
    const isWarning = this.#isWarning();
    this.#statements.push({ text, form, under: this.#under, isWarning, ...linesOf(node) });
    this.#refer(node);
  }

  /** The sentence that leads up to a block says whether it is an example of what not to do. */
  #block(node: Nodes & { type: "code" }): void {
    const { line, endLine } = linesOf(node);
    const isFenced = /^\s*(```|~~~)/.test(this.#lines[line - 1] ?? "");
    const comment = /^\s*(?:\/\/|#)(.*)/.exec(node.value)?.[1] ?? "";
    const lead = this.#before.split(/[.!?] /).at(-1) ?? "";
    const isWarning =
      this.#isWarning(`${node.meta ?? ""} ${lead}`) ||
      /\bold way\b|\b(bad|wrong|don't|avoid|never)\b/i.test(comment);
    this.#blocks.push({
      language: (node.lang ?? "").toLowerCase(),
      text: node.value,
      under: this.#under,
      isWarning,
      line: isFenced ? line + 1 : line,
      endLine: isFenced ? Math.max(line + 1, endLine - 1) : endLine,
    });
    this.#before = "";
  }

  #row(row: TableRow, at: number): void {
    const cells = row.children.map((cell) => shown(cell).replace(/\s+/g, " ").trim());
    const [under, isWarning] = [this.#under, this.#isWarning()];
    if (at > 0) this.#rows.push({ cells, under, ...linesOf(row) });
    for (const cell of row.children) {
      const text = shown(cell).replace(/\s+/g, " ").trim();
      if (at > 0 && text !== "")
        this.#statements.push({ text, form: "cell", under, isWarning, ...linesOf(cell) });
      this.#refer(cell);
    }
  }

  #refer(node: Nodes): void {
    if (node.type === "link" && isLocal(node.url))
      this.#add(node.url.replace(/[#?][\s\S]*$/, ""), "link", node);
    if (node.type === "inlineCode" && /^[\w.@-]+(\/[\w.@-]+)*\.\w{1,8}$/.test(node.value))
      this.#add(node.value.replace(/^@/, ""), node.value.startsWith("@") ? "include" : "path", node);
    if (node.type === "text")
      for (const [, target = ""] of node.value.matchAll(
        /(?:^|\s)@((?:\.{0,2}\/)?[\w.-]+(?:\/[\w.-]+)*\.\w{1,8})\b/g,
      ))
        this.#add(target, "include", node);
    if ("children" in node) for (const child of node.children as Nodes[]) this.#refer(child);
  }

  #add(target: string, form: Reference["form"], node: Nodes): void {
    if (target !== "")
      this.#references.push({
        target,
        label: shown(node).replace(/\s+/g, " ").trim(),
        form,
        ...linesOf(node),
      });
  }
}

function isLocal(url: string): boolean {
  return !/^([a-z][a-z0-9+.-]*:|\/\/|#|\/)/i.test(url);
}

/** Hosts take `argument-hint: [id] [name]` as text; YAML does not. */
const hint = /^(argument-hint:[ \t]+)([^"'|>\s][^\n]*)$/m;

function quoted(_: string, key: string, value: string): string {
  return `${key}${JSON.stringify(value.trim())}`;
}

/** A file that opens with `---` and has no closing line has front matter that is broken, not none. */
function frontOf(tree: Root, text: string): FrontMatter | undefined {
  const [first] = tree.children;
  if (first?.type !== "yaml") {
    if (!/^---\r?\n\s*[\w-]+\s*:/.test(text)) return undefined;
    const fault = { message: "the front matter has no closing `---`", line: 1 };
    return { values: {}, fault, isOpen: true, line: 1, endLine: 1 };
  }
  const lines = linesOf(first);
  const document = parseYaml("front matter", first.value.replace(hint, quoted));
  if ("problems" in document) {
    const [{ message, place } = { message: "the front matter cannot be read", place: undefined }] =
      document.problems;
    return { values: {}, fault: { message, line: lines.line + (place?.line ?? 1) }, ...lines };
  }
  const values: unknown = document.value;
  if (typeof values === "object" && values !== null && !Array.isArray(values))
    return { values: values as Record<string, unknown>, ...lines };
  return { values: {}, fault: { message: "the front matter has no keys", line: lines.line }, ...lines };
}
