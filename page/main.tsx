// The page begins: with the data inside of a report, or with the server, after the token in the address was handed over.
import { render } from "preact";
import type { ReportData } from "../src/page/model.ts";
import { App } from "./app.tsx";
import { tokenOf } from "./route.ts";
import { insideSource } from "./source/inside.ts";
import { liveSource, opened } from "./source/live.ts";
import { begin } from "./store.ts";

async function main(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) throw new Error("bug: the page has no place for itself");
  const inside = document.getElementById("heddle-data")?.textContent;
  if (inside) {
    const report = JSON.parse(inside) as ReportData;
    if (location.hash === "") location.replace(`#/run/${encodeURIComponent(report.run.id)}/report`);
    begin(insideSource(report));
  } else {
    const given = tokenOf(location.hash);
    if (given) {
      // Out of the address first: it must be in no history and no screenshot.
      history.replaceState(null, "", `#${given.to}`);
      // A link that was used before is no harm to a page that has its key already.
      await opened(given.token).catch(() => false);
    }
    begin(liveSource());
  }
  render(<App />, root);
}

void main();
