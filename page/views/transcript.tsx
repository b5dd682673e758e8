// What an agent said and did in one attempt. While it works, the end of it is followed; scrolling up stops that.
import { useEffect, useRef, useState } from "preact/hooks";
import type { TranscriptPage } from "../../src/page/model.ts";
import { Trouble } from "../parts/text.tsx";
import { Missing } from "../source/source.ts";
import { asMissing, theSource } from "../store.ts";
import { counted, shown } from "../words.ts";

interface Props {
  readonly run: string;
  readonly task: string;
  readonly attempt: number;
}

type Lines = TranscriptPage["lines"];

/** Between two looks at an attempt that is under way. */
const lookMs = 1_000;
/** What the screen holds; a person asks for what is before. */
const most = 1_500;

export function Transcript(props: Props) {
  const { lines, live, missing } = useTranscript(props);
  const [all, setAll] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (follows.current && live && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const first = all ? 0 : Math.max(0, lines.length - most);
  return (
    <section>
      <h3>
        Transcript <span class="count">{live ? "follows live" : counted(lines.length, "line")}</span>
      </h3>
      {missing && <Trouble problem={missing.message} hint={missing.hint} />}
      <div
        class="transcript"
        ref={box}
        role="log"
        aria-label={`Transcript of attempt ${props.attempt}`}
        aria-live="off"
        tabIndex={0}
        onScroll={({ currentTarget: at }) => {
          follows.current = at.scrollHeight - at.scrollTop - at.clientHeight < 30;
        }}
      >
        {first > 0 && (
          <button type="button" class="quiet" onClick={() => setAll(true)}>
            Show {first.toLocaleString("en-US")} earlier lines
          </button>
        )}
        {lines.slice(first).map(({ kind, text }, at) => (
          <div key={first + at} class="said-line">
            <span class="dim kind">{shown(kind)}</span>
            <span class="words">{shown(text)}</span>
          </div>
        ))}
        {lines.length === 0 && !missing && <p class="dim">Nothing was said yet.</p>}
      </div>
    </section>
  );
}

function useTranscript({ run, task, attempt }: Props) {
  const [state, setState] = useState<{ lines: Lines; live: boolean; missing: Missing | null }>({
    lines: [],
    live: false,
    missing: null,
  });
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let after = 0;
    const look = async () => {
      try {
        const page = await theSource().transcript({ run, task, attempt, after, signal: ending.signal });
        if (ending.signal.aborted) return;
        after = page.next;
        setState((now) => {
          if (page.lines.length === 0 && now.live === page.live && now.missing === null) return now;
          return { lines: [...now.lines, ...page.lines], live: page.live, missing: null };
        });
        if (page.lines.length > 0 && !page.live) void look();
        else if (page.live) timer = setTimeout(look, document.hidden ? lookMs * 5 : lookMs);
      } catch (error) {
        if (ending.signal.aborted) return;
        // Nobody answered: the line says so, and what was read stays as it is.
        setState((now) => ({
          ...now,
          missing: error instanceof Missing || now.lines.length === 0 ? asMissing(error) : null,
        }));
        timer = setTimeout(look, lookMs * 5);
      }
    };
    void look();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [run, task, attempt]);
  return state;
}
