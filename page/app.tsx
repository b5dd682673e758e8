// The frame around every view: where we are, what needs a person, whether the line stands, and what was said last.
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./parts/icon.tsx";
import { Command, Empty, Trouble } from "./parts/text.tsx";
import { hrefOf, type Route } from "./route.ts";
import { inboxNow, line, loadProject, project, route, said, trouble } from "./store.ts";
import { InboxView } from "./views/inbox.tsx";
import { RunFrame } from "./views/run.tsx";
import { RunsView } from "./views/runs.tsx";
import { shown } from "./words.ts";

export function App() {
  const main = useRef<HTMLElement>(null);
  const to = route.value;
  const place =
    to.at === "run" || to.at === "task" ? `${to.run} ${to.at === "task" ? to.task : to.view}` : to.at;
  const first = useRef(true);
  // Another view begins at its top, and a keyboard goes on from there.
  useEffect(() => {
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
    scrollTo(0, 0);
  }, [place]);
  const waiting = inboxNow.value.length;
  const before = useRef(waiting);
  // What was answered is gone, and the focus was in it: a keyboard goes on from the top of the view, not of the page.
  useEffect(() => {
    if (waiting < before.current && document.activeElement === document.body)
      main.current?.focus({ preventScroll: true });
    before.current = waiting;
  }, [waiting]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar />
      <LineState />
      <main id="main" ref={main} tabIndex={-1}>
        {line.value === "over" ? <SessionOver /> : <View to={to} />}
      </main>
      <div class="said" role="status" aria-live="polite">
        <Said />
      </div>
    </>
  );
}

function View({ to }: { readonly to: Route }) {
  const problem = trouble.value;
  if (project.value === null && problem)
    return (
      <div class="page">
        <Trouble problem={problem.message} hint={problem.hint} />
        <button type="button" onClick={() => void loadProject()}>
          Try again
        </button>
      </div>
    );
  switch (to.at) {
    case "runs":
      return <RunsView />;
    case "inbox":
      return <InboxView />;
    case "run":
    case "task":
      return <RunFrame to={to} key={to.run} />;
    case "nowhere":
      return (
        <div class="page">
          <h1>Nothing here</h1>
          <Empty>
            This address leads nowhere. <a href="#/">All runs</a>
          </Empty>
        </div>
      );
  }
}

function TopBar() {
  const at = route.value.at;
  const waiting = inboxNow.value.length;
  const current = (here: boolean) => (here ? "page" : undefined);
  return (
    <header class="top">
      <a class="brand" href="#/">
        <svg viewBox="0 0 16 16" aria-hidden="true" class="logo">
          <rect width="16" height="16" rx="4" fill="currentColor" />
          <path
            d="M4 3v10M12 3v10M4 8h2.4M9.6 8H12"
            stroke="var(--bg)"
            stroke-width="1.5"
            stroke-linecap="round"
          />
          <circle cx="8" cy="8" r="1.6" fill="none" stroke="var(--bg)" stroke-width="1.3" />
        </svg>
        <span class="name">{shown(project.value?.name ?? "heddle")}</span>
      </a>
      <nav aria-label="Project">
        <a href={hrefOf({ at: "runs", query: {} })} aria-current={current(at === "runs")}>
          <Icon name="runs" />
          Runs
        </a>
        <a href={hrefOf({ at: "inbox", query: {} })} aria-current={current(at === "inbox")}>
          <Icon name="inbox" />
          Inbox
          {waiting > 0 && <span class="badge num">{waiting}</span>}
        </a>
      </nav>
      <LineWord />
    </header>
  );
}

function LineWord() {
  const state = line.value;
  if (state === "inside") return <span class="line dim">Report</span>;
  const word = { connecting: "Connecting", open: "Live", cut: "No connection", over: "Session over" }[state];
  return (
    <span class={`line line-${state}`}>
      <i class="dot" aria-hidden="true" />
      {word}
    </span>
  );
}

/** Said once as a whole sentence: what is on the screen may be old. */
function LineState() {
  if (line.value !== "cut") return null;
  return (
    <p class="banner" role="status">
      <Icon name="cut" />
      <span>
        The connection to heddle is cut. The page shows what it last knew, and continues by itself when heddle
        answers. If heddle has ended: <code>heddle web</code> shows the project again.
      </span>
    </p>
  );
}

function SessionOver() {
  return (
    <div class="page narrow">
      <h1>This session is over</h1>
      <p>
        heddle gives every page a secret when it starts. This page's secret is no longer valid: heddle was
        started again, or the address was used before.
      </p>
      <p>Start it again, and open the address that it prints:</p>
      <Command text="heddle web" />
    </div>
  );
}

function Said() {
  const last = said.value;
  useEffect(() => {
    if (!last) return;
    const timer = setTimeout(() => {
      if (said.value === last) said.value = null;
    }, 6000);
    return () => clearTimeout(timer);
  }, [last]);
  if (!last) return null;
  return <p class="toast">{shown(last.text)}</p>;
}
