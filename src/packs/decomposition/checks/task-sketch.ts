// Task files as far as they can be read. A sketch is what the checks between tasks need; one is drawn of a file with
// mistakes too, so that a single reply names all of them. A blank stands for what the schema has refused already.
import type { Problem } from "../../../core/problem.ts";
import { type JsonDocument, parseDocument, type Source } from "../../../protocols/document.ts";
import { isName } from "../../../protocols/fields.ts";
import { schemaProblems } from "../../../protocols/schema-problem.ts";
import { rootOf, Spot } from "../../../protocols/spot.ts";
import { type TaskFile, taskSchema } from "../artifacts/task-file.ts";

/** A task whose own file is right. */
export interface TaskDocument {
  readonly source: Source;
  readonly task: TaskFile;
}

export interface Sketch {
  readonly source: Source;
  /** Its place in the list, as the graph knows it. */
  readonly index: number;
  readonly id: string;
  readonly dependencies: readonly string[];
  readonly behaviours: readonly string[];
  readonly paths: readonly string[];
  readonly commands: readonly string[];
  readonly quote: SketchedQuote | undefined;
  /** What `context.spec_requirements` names. */
  readonly requirements: readonly string[];
  /** Nothing when the file's shape is wrong. */
  readonly task: TaskFile | undefined;
}

export interface SketchedQuote {
  readonly text: string;
  readonly pointer: string;
  /** In an object it is a quote; a bare text may be a reference such as `REQ-3` or `section 2`. */
  readonly isQuote: boolean;
}

export interface ReadTasks {
  readonly sketches: readonly Sketch[];
  /** Ids that only the names of unreadable files tell. */
  readonly unreadable: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

/** A task is a page; a schema's faults in more than this would take all memory. */
const MAX_LENGTH = 1024 * 1024;

export function readTasks(files: readonly Source[]): ReadTasks {
  const [sketches, unreadable, problems]: [Sketch[], Set<string>, Problem[]] = [[], new Set(), []];
  for (const { file, text } of files) {
    const document = parseDocument(file, text, { maxLength: MAX_LENGTH });
    if ("problems" in document) {
      unreadable.add(fileId(file) ?? "");
      problems.push(...document.problems);
      continue;
    }
    const parsed = taskSchema(document.value).safeParse(document.value);
    if (parsed.success) sketches.push(sketchOf(document, parsed.data, sketches.length));
    else {
      sketches.push(roughSketch(document, sketches.length));
      for (const one of schemaProblems(document, parsed.error.issues)) problems.push(one);
    }
  }
  return { sketches, unreadable, problems };
}

/** The id that a file's name claims: `tasks/T001.json` says `T001`. */
function fileId(file: string): string | undefined {
  return /(?:^|[\\/])(T\d+)\.json$/.exec(file)?.[1];
}

function sketchOf({ file, text }: Source, task: TaskFile, index: number): Sketch {
  return {
    source: { file, text },
    index,
    id: task.id,
    dependencies: task.dependencies?.tasks ?? [],
    behaviours: task.behaviors,
    paths: task.files.map(({ path }) => path),
    commands: task.acceptance_criteria.map(({ verification }) => verification),
    quote: quoteIn(task.context?.spec_ref),
    requirements: task.context?.spec_requirements ?? [],
    task,
  };
}

function roughSketch(document: JsonDocument, index: number): Sketch {
  const root = rootOf(document);
  const id = root.at("id").text ?? "";
  const texts = (list: readonly Spot[]) => list.map((spot) => spot.text ?? "");
  const looksRight = (pattern: RegExp) => (word: string) => (pattern.test(word) ? word : "");
  const paths = texts(root.at("files").items.map((file) => file.at("path")));
  return {
    source: document,
    index,
    id: looksRight(/^T\d+$/)(id),
    dependencies: texts(root.at("dependencies").at("tasks").items).map(looksRight(/^T\d+$/)),
    behaviours: texts(root.at("behaviors").items).map(looksRight(/^B\d+$/)),
    paths: paths.map((path) => (isName(path) ? path : "")),
    commands: texts(root.at("acceptance_criteria").items.map((criterion) => criterion.at("verification"))),
    quote: quoteIn(root.at("context").at("spec_ref").value),
    requirements: texts(root.at("context").at("spec_requirements").items),
    task: undefined,
  };
}

function quoteIn(reference: unknown): SketchedQuote | undefined {
  const pointer = "/context/spec_ref";
  if (typeof reference === "string") return { text: reference, pointer, isQuote: false };
  const quote =
    reference && typeof reference === "object" && "quote" in reference ? reference.quote : undefined;
  return typeof quote === "string" ? { text: quote, pointer: `${pointer}/quote`, isQuote: true } : undefined;
}

export function spotIn({ source }: Pick<Sketch, "source">, pointer: string): Spot {
  return new Spot(source, pointer, undefined);
}
