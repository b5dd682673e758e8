// The page with its data inside, as one file that is read offline: nothing is loaded, and the policy in it lets nothing run but
// the page's own script, by its digest. `page/source/inside.ts` reads the data; a reader without scripts is shown the text.
import { createHash } from "node:crypto";
import { safe } from "../view/safe.ts";
import type { StaticFiles } from "./http/static-files.ts";
import type { ReportData } from "./model.ts";

const style = '<link rel="stylesheet" href="page.css">';
const script = '<script src="page.js" defer></script>';
const head = '<meta charset="utf-8">';
const unseen = /<noscript>[^<]*<\/noscript>/;

interface Inside {
  readonly data: ReportData;
  /** The same in Markdown. */
  readonly text: string;
}

/** More of it is for programs: `execution-report.md` has all. */
const mostText = 200_000;

export function reportFile(files: StaticFiles, { data, text }: Inside): string {
  const [html, css, js] = ["index.html", "page.css", "page.js"].map((name) => files.get(`/${name}`)?.body);
  if (html === undefined || css === undefined || js === undefined) throw new Error("bug: no page");
  if (![style, script, head, unseen].every((part) => html.split(part).length === 2))
    throw new Error("bug: the page is built of other parts than its report");
  const policy = `default-src 'none'; script-src '${digest(js)}'; style-src '${digest(css)}'; img-src data:; base-uri 'none'; form-action 'none'`;
  const inside = `<script type="application/json" id="heddle-data">${inScript(data)}</script>\n<script>${js}</script>`;
  // By functions: a `$&` in a text would be taken for what was found.
  return html
    .replace(head, () => `${head}\n<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace(style, () => `<style>${css}</style>`)
    .replace(unseen, () => `<noscript><pre>${asText(text)}</pre></noscript>`)
    .replace(script, () => inside);
}

/** No `<` is left: what an agent wrote ends no element, and begins no comment. Nor is what changes how the file itself reads. */
const inScript = (data: ReportData) => safe(JSON.stringify(data)).replaceAll("<", "\\u003c");

function asText(text: string): string {
  const shown = text.length > mostText ? `${text.slice(0, mostText)}\n… cut here` : text;
  return safe(shown).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const digest = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
