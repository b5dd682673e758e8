// What is inside of a report that is a page: its data, and what of the file could run or be loaded.
import { createHash } from "node:crypto";
import type { ReportData } from "../../src/page/model.ts";

const data = /<script type="application\/json" id="heddle-data">([^<]*)<\/script>/;

export function dataIn(html: string): ReportData {
  const [, json] = data.exec(html) ?? [];
  if (json === undefined) throw new Error("there is no data in it");
  return JSON.parse(json) as ReportData;
}

/** All of the file that is neither the page's own script and style, by the digests of its policy, nor data, nor escaped text. */
export function foreignIn(html: string): string {
  const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
  const isOwn = (text: string) =>
    policy.includes(`'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  return html
    .replace(data, "")
    .replace(/<script>([\s\S]*?)<\/script>/g, (all, text: string) => (isOwn(text) ? "" : all))
    .replace(/<style>([\s\S]*?)<\/style>/g, (all, text: string) => (isOwn(text) ? "" : all))
    .replace(/<link rel="icon" href="data:[^"]*">/, "");
}
