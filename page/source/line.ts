// The line from the server, one for all pages of a browser: over HTTP/1.1 a browser has six connections to a server, and a line keeps one.
// The page that holds a lock has it and passes on what it is told; when that page is closed, or crashes, the browser gives the lock to
// another one, which begins where its own screen stands. What comes twice changes nothing (`merge.ts`).
import type { Line, Listener } from "./source.ts";

interface Ways {
  /** Where each run stands on the screen: the line begins there. */
  readonly seen: () => string;
  /** The address of a line that begins there. */
  readonly address: (seen: string) => string;
  /** Whether the server still knows this page. */
  readonly isOver: () => Promise<boolean>;
}

/** Until a line is tried again that the browser gave up. */
const againMs = 2_000;
/** A machine that slept longer may hold a line that is dead and does not know it. */
const sleptMs = 60_000;
const name = "heddle-line";

/** Between the pages of one browser. `hello` asks the one with the line where it stands. */
type Said =
  | { readonly kind: "hello" }
  | { readonly kind: "change"; readonly text: string }
  | { readonly kind: "level"; readonly line: Line; readonly seen: string };

export function watch(listener: Listener, ways: Ways): void {
  // A page without them, or whose storage the browser refuses, has a line of its own.
  if (!("locks" in navigator) || !("BroadcastChannel" in globalThis)) return void alone(listener, ways);
  const channel = new BroadcastChannel(name);
  const say = (said: Said) => channel.postMessage(said);
  let leads = false;
  let line: Line = "connecting";
  const tellLevel = () => say({ kind: "level", line, seen: ways.seen() });
  channel.onmessage = ({ data }: MessageEvent<Said>) => {
    if (leads) {
      if (data.kind === "hello") tellLevel();
    } else if (data.kind === "change") listener.change(JSON.parse(data.text));
    else if (data.kind === "level") {
      listener.line(data.line);
      listener.level(data.seen);
    }
  };
  const leading = (release: () => void) => {
    leads = true;
    stream(ways, {
      change: (text) => {
        listener.change(JSON.parse(text));
        say({ kind: "change", text });
      },
      line: (state) => {
        line = state;
        listener.line(state);
        // Another page may have a newer session.
        if (state === "over") {
          leads = false;
          channel.close();
          release();
        } else tellLevel();
      },
    });
  };
  navigator.locks.request(name, () => new Promise<void>(leading)).catch(() => alone(listener, ways));
  say({ kind: "hello" });
  onWaking(() => {
    if (!leads) say({ kind: "hello" });
  });
}

function alone(listener: Listener, ways: Ways): void {
  stream(ways, {
    change: (text) => listener.change(JSON.parse(text)),
    line: (state) => listener.line(state),
  });
}

interface Told {
  change(text: string): void;
  line(state: Line): void;
}

function stream({ seen, address, isOver }: Ways, told: Told): void {
  let source = open();

  function open(): EventSource {
    const opened = new EventSource(address(seen()));
    opened.onopen = () => told.line("open");
    opened.addEventListener("change", ({ data }: MessageEvent<string>) => told.change(data));
    opened.onerror = () => {
      told.line("cut");
      if (opened.readyState === EventSource.CLOSED) void again(opened);
    };
    return opened;
  }

  async function again(dead: EventSource): Promise<void> {
    if (await isOver()) return told.line("over");
    setTimeout(() => {
      if (source === dead) source = open();
    }, againMs);
  }

  onWaking(() => {
    source.close();
    source = open();
  });
}

function onWaking(work: () => void): void {
  let hiddenAt = 0;
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = performance.now();
    else if (hiddenAt > 0 && performance.now() - hiddenAt > sleptMs) work();
  });
}
