// The page's parts beside its script: index.html as it is, and one style sheet of `page/style/`, in the order of its names.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../page");

/** Comments and the white space that means nothing in a style sheet; strings in it hold neither. */
export function smaller(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,>]) ?/g, "$1")
    .replace(/: /g, ":")
    .replaceAll(";}", "}")
    .trim();
}

interface Building {
  emitFile(file: { type: "asset"; fileName: string; source: string }): string;
}

export const pageParts = {
  name: "page-parts",
  generateBundle(this: Building) {
    const sheets = readdirSync(join(folder, "style")).sort();
    const css = sheets.map((name) => readFileSync(join(folder, "style", name), "utf8")).join("\n");
    this.emitFile({ type: "asset", fileName: "page.css", source: `${smaller(css)}\n` });
    const html = readFileSync(join(folder, "index.html"), "utf8");
    this.emitFile({ type: "asset", fileName: "index.html", source: html });
  },
};
