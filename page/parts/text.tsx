// Text, times and commands. What others wrote is only ever a text node.

import type { ComponentChildren } from "preact";
import { elapsed } from "../../src/view/amount.ts";
import type { Loaded } from "../load.ts";
import { nowMs, say } from "../store.ts";
import { clock, day, shown } from "../words.ts";
import { Icon } from "./icon.tsx";

export function Prose({ text, kind = "" }: { readonly text: string; readonly kind?: string }) {
  return <p class={`prose ${kind}`}>{shown(text)}</p>;
}

/** `3m05s ago`, and when exactly on hover. */
export function Ago({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={day(at)} class="num">
      {ago(nowMs.value - Date.parse(at))}
    </time>
  );
}

function ago(ms: number): string {
  if (ms < 5_000) return "just now";
  const days = Math.floor(ms / 86_400_000);
  return days >= 2 ? `${days} days ago` : `${elapsed(ms)} ago`;
}

export function At({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={day(at)} class="num">
      {clock(at)}
    </time>
  );
}

/** A command that can be typed; a click copies it. */
export function Command({ text }: { readonly text: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say(`Copied: ${text}`);
    } catch {
      say("The browser did not let the page copy. Select the command instead.");
    }
  };
  return (
    <span class="command">
      <code>{shown(text)}</code>
      <button type="button" class="quiet small" onClick={copy} aria-label={`Copy ${text}`}>
        Copy
      </button>
    </span>
  );
}

/** Hints name commands in backticks. */
export function Hint({ text }: { readonly text: string }) {
  return (
    <>
      {shown(text)
        .split("`")
        .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
    </>
  );
}

export function Trouble({ problem, hint }: { readonly problem: string; readonly hint: string | null }) {
  return (
    <div class="trouble" role="alert">
      <Icon name="failed" tone="failed" />
      <div>
        <p>{shown(problem)}</p>
        {hint !== null && (
          <p class="dim">
            <Hint text={hint} />
          </p>
        )}
      </div>
    </div>
  );
}

/** The page, or why it is not there. */
export function Shown<T>({
  loaded: { page, missing },
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly children: (page: T) => ComponentChildren;
}) {
  if (missing) return <Trouble problem={missing.message} hint={missing.hint} />;
  if (page === null)
    return (
      <p class="loading dim" role="status">
        Loading…
      </p>
    );
  return <>{children(page)}</>;
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
