// Which functions, constants and classes of src are exported for nothing: no other file of src imports them, and no test that
// tries a part of what the file itself uses. Types are left out: a name for what an exported function takes is worth having.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

interface Imported {
  readonly from: string;
  readonly name: string;
}

const values = /^export (?:async )?(?:const|let|function\*?|class) (\w+)/gm;
const passedOn = /^export \{([^}]*)\} from "[^"]+"/gm;
const statements = /^(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*[^"]*?|\w+)\s+from\s+"(\.[^"]+)"/gm;
const lazily =
  /(?:(?:const|let)\s+\{([^}]*)\}\s*=\s*await\s+|\(await\s+)?import\(\s*"(\.[^"]+)"\s*\)(?:\)\.(\w+)|\.then\(\s*\(\{([^}]*)\}\))?/g;

export function unusedExports(root: string): string[] {
  const texts = new Map(
    ["src", "test", "scripts", "bench"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(ts|js)$/.test(name) && !name.includes("node_modules"))
        .map((name) => join(folder, name))
        .map((path) => [path, readFileSync(join(root, path), "utf8")] as const),
    ),
  );
  const importers = new Map<string, string[]>();
  for (const [path, text] of texts)
    for (const { from, name } of importsOf(text)) {
      const key = `${relative(root, resolve(root, dirname(path), from))}: ${name}`;
      importers.set(key, [...(importers.get(key) ?? []), path]);
    }
  return [...texts]
    .filter(([path]) => path.startsWith("src/") && path !== "src/index.ts")
    .flatMap(([path, text]) => exportsOf(text).map((name) => ({ path, text, name })))
    .filter(({ path, text, name }) => {
      const by = [name, "*"].flatMap((each) => importers.get(`${path}: ${each}`) ?? []);
      const isUsedHere = new RegExp(`(?<!\\w)${name}(?!\\w)`, "g");
      return (
        !by.some((each) => each.startsWith("src/")) &&
        (by.length === 0 || text.match(isUsedHere)?.length === 1)
      );
    })
    .map(({ path, name }) => `${relative("src", path)}: ${name}`)
    .sort();
}

function exportsOf(text: string): string[] {
  const again = [...text.matchAll(passedOn)].flatMap(([, list = ""]) => names(list, "last"));
  return [...[...text.matchAll(values)].map(([, name = ""]) => name), ...again];
}

function importsOf(text: string): Imported[] {
  const found = [...text.matchAll(statements)].flatMap(([, what = "", from = ""]) =>
    (what.startsWith("{") ? names(what.slice(1, -1), "first") : ["*"]).map((name) => ({ from, name })),
  );
  const later = [...text.matchAll(lazily)].flatMap(([, before, from = "", member, then]) =>
    (member === undefined ? names(before ?? then ?? "*", "first") : [member]).map((name) => ({ from, name })),
  );
  return [...found, ...later];
}

/** Of `a, type B, c as d`: what each is called there, or here. */
function names(list: string, which: "first" | "last"): string[] {
  return list
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "" && (which === "first" || !each.startsWith("type ")))
    .map(
      (each) =>
        each
          .replace(/^type /, "")
          .split(/\s+as\s+|\s*:\s*/)
          .at(which === "first" ? 0 : -1) ?? "",
    );
}
