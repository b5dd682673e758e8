// The page in a real Chromium, served by `heddle web`, with 10,000 tasks: its size, the first paint, a commit on the screen,
// frames while the board scrolls and the graph pans, and what the server costs beside that. Left out, with a word, where there is no
// chromium.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { chromiumPath } from "../test/needs.ts";
import { type Bench, exactly, type Figure } from "./figure.ts";
import { idOf, makeProject, withFolder } from "./plan.ts";
import { cli } from "./project.ts";
import { estimate, median } from "./statistics.ts";

const tasks = 10_000;

export const page: Bench = {
  name: "page",
  run: async ({ quick }) => {
    const size = { name: "page: gzipped", unit: "KB", measured: exactly(gzippedKb()), goal: { most: 60 } };
    if (chromiumPath === "") {
      console.log("page: the rest is left out without chromium");
      return [size];
    }
    return [size, ...(await withFolder((folder) => inBrowser(folder, quick ? 3 : 10)))];
  },
};

function gzippedKb(): number {
  const dist = join(import.meta.dirname, "../dist/page");
  const all = readdirSync(dist).map((name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length);
  return all.reduce((sum, each) => sum + each, 0) / 1024;
}

async function inBrowser(folder: string, rounds: number): Promise<Figure[]> {
  const root = join(folder, "large");
  await makeProject(root, { size: tasks, width: 40 }, 1);
  const { server, link } = await served(root);
  const { pid = 0 } = server;
  await quiet();
  const listeningMb = memoryMb(pid);
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  try {
    const shown = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await shown.goto(link);
    await shown.waitForSelector(".runs a");
    const run = (await shown.getAttribute(".runs a", "href")) ?? "";
    const base = link.split("#")[0] ?? "";
    const paints: Begun[] = [];
    for (let round = 0; round < rounds; round++) paints.push(await begun(shown, `${base}${run}/board`));
    await quiet();
    const [openMb, usedMs] = [memoryMb(pid), processorMs(pid)];
    await new Promise((settle) => setTimeout(settle, 10_000));
    const idleMs = processorMs(pid) - usedMs;
    const changes: number[] = [];
    for (let round = 0; round < rounds; round++)
      changes.push(await commitShown(shown, root, idOf(round + 2)));
    const scroll = await framesPerSecond(shown, ".column-pending .windowed", "element.scrollTop += 120");
    await shown.goto(`${base}${run}/graph`);
    await shown.waitForSelector("[data-node]");
    const wheel = 'element.dispatchEvent(new WheelEvent("wheel", { deltaX: 24, cancelable: true }))';
    const pan = await framesPerSecond(shown, ".ground", wheel);
    return [
      {
        name: "page: first paint of 10,000 tasks",
        unit: "ms",
        measured: estimate(paints, (each) => median(each.map(({ paint }) => paint))),
        goal: { most: 300 },
      },
      {
        name: "page: until the tasks are there",
        unit: "ms",
        measured: estimate(paints, (each) => median(each.map(({ tasks: shownAt }) => shownAt))),
      },
      {
        name: "page: a commit on the screen",
        unit: "ms",
        measured: estimate(changes, median),
        goal: { most: 250 },
      },
      {
        name: "page: scrolling the board",
        unit: "frames/s",
        measured: estimate(scroll, median),
        goal: { least: 50 },
      },
      {
        name: "page: panning the graph",
        unit: "frames/s",
        measured: estimate(pan, median),
        goal: { least: 50 },
      },
      {
        name: "page: memory, open against listening",
        unit: "MB",
        measured: exactly(openMb - listeningMb),
        goal: { most: 30 },
      },
      // The kernel counts in steps of 10 ms.
      {
        name: "page: processor time in 10 s of nothing",
        unit: "ms",
        measured: exactly(idleMs),
        goal: { most: 10 },
      },
    ];
  } finally {
    await browser.close();
    server.kill();
  }
}

function served(root: string): Promise<{ readonly server: ChildProcess; readonly link: string }> {
  const server = spawn(process.execPath, [cli, "web", "--no-open", "--dir", root], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((settle, refuse) => {
    let said = "";
    server.stdout?.on("data", (bytes: Buffer) => {
      said += bytes;
      const [link] = /http:\S+/.exec(said) ?? [];
      if (link) settle({ server, link });
    });
    server.on("exit", (code) => refuse(new Error(`heddle web ended with ${code}: ${said}`)));
  });
}

/** In milliseconds from the beginning of the navigation. */
interface Begun {
  readonly paint: number;
  readonly tasks: number;
}

async function begun(shown: Page, address: string): Promise<Begun> {
  await shown.goto("about:blank");
  await shown.goto(address, { waitUntil: "commit" });
  return (await shown.evaluate(`new Promise((done) => {
    const told = () => done({
      paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
      tasks: performance.now(),
    });
    const look = () => document.querySelector("a.task")
      ? requestAnimationFrame(() => setTimeout(told))
      : requestAnimationFrame(look);
    look();
  })`)) as Begun;
}

/** From the end of the command, which answers when its facts are durable. */
async function commitShown(shown: Page, root: string, task: string): Promise<number> {
  await shown.evaluate(`{
    window.shownAt = new Promise((done) => {
      const watch = new MutationObserver(() => {
        if (!document.querySelector(".column-skipped")?.textContent?.includes(${JSON.stringify(task)})) return;
        watch.disconnect();
        done(Date.now());
      });
      watch.observe(document.body, { subtree: true, childList: true });
    });
    0;
  }`);
  execFileSync(process.execPath, [cli, "state", "skip-task", task, "--dir", root], { stdio: "ignore" });
  const committed = Date.now();
  return Math.max(0, ((await shown.evaluate("window.shownAt")) as number) - committed);
}

/** One figure for every quarter of a second, so that one slow moment is seen. */
async function framesPerSecond(shown: Page, selector: string, move: string): Promise<number[]> {
  return (await shown.evaluate(`new Promise((done) => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const rates = [];
    let [frames, since] = [0, performance.now()];
    const step = () => {
      ${move};
      frames++;
      const took = performance.now() - since;
      if (took >= 250) {
        rates.push((frames * 1000) / took);
        [frames, since] = [0, performance.now()];
      }
      if (rates.length < 12) requestAnimationFrame(step);
      else done(rates);
    };
    requestAnimationFrame(step);
  })`)) as number[];
}

/** Until what was needed once is let go: V8 gives memory back when nothing happens for a while. */
const quiet = () => new Promise((settle) => setTimeout(settle, 25_000));

function memoryMb(pid: number): number {
  const [, kb = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1024;
}

function processorMs(pid: number): number {
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user = 0, system = 0] = rest.split(" ").slice(11, 13).map(Number);
  return (user + system) * 10;
}
