// Attempts as bars per seat: stages inside, what was planned as a line below, marks above, idle time folded. The same is
// there as a table.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { AttemptRow, RunPage, TimelinePage } from "../../src/page/model.ts";
import { elapsed } from "../../src/view/amount.ts";
import { useOfRun } from "../load.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { At, Empty, Shown } from "../parts/text.tsx";
import { Windowed } from "../parts/windowed.tsx";
import { hrefOf, kept } from "../route.ts";
import { ticks } from "../shape/fold.ts";
import { barsBetween, type Plot, type PlottedBar, plotOf } from "../shape/plot.ts";
import { nowMs, query, route, theSource } from "../store.ts";
import { clock, day, outcomeWord, shortly, shown } from "../words.ts";

export function TimelineView({ run }: { readonly run: RunPage }) {
  const loaded = useOfRun(run, "timeline", (at) => theSource().timeline(at));
  const isList = route.value.query.as === "list";
  return (
    <Shown loaded={loaded}>
      {(page) =>
        page.seats.every(({ bars }) => bars.length === 0) ? (
          <Empty>No attempt was begun yet.</Empty>
        ) : (
          <>
            <div class="toolbar">
              <div class="segments" role="group" aria-label="How the timeline is shown">
                <button type="button" aria-pressed={!isList} onClick={() => query({ as: "" })}>
                  Chart
                </button>
                <button type="button" aria-pressed={isList} onClick={() => query({ as: "list" })}>
                  List
                </button>
              </div>
              {!isList && <Legend />}
            </div>
            {isList ? <List run={run} page={page} /> : <Chart run={run} page={page} />}
          </>
        )
      }
    </Shown>
  );
}

const stages = ["preparing", "working", "repairing", "checking", "reviewing", "integrating"] as const;

function Legend() {
  return (
    <ul class="legend">
      {stages.map((stage) => (
        <li key={stage}>
          <i class={`swatch stage-${stage}`} aria-hidden="true" />
          {stage}
        </li>
      ))}
      <li>
        <i class="swatch planned" aria-hidden="true" />
        planned, at this run's pace
      </li>
    </ul>
  );
}

/** By kind of event; those that a person must not miss are drawn first. */
const markIcons: Readonly<Record<string, readonly [IconName, string]>> = {
  "halt-requested": ["halted", "blocked"],
  "question-asked": ["question", "waiting"],
  landed: ["flag", "complete"],
  "task-undone": ["back", "failed"],
  resumed: ["play", "running"],
  "attempt-parked": ["paused", "skipped"],
  "job-parked": ["paused", "skipped"],
  "task-merged": ["complete", "complete"],
  "phase-entered": ["flag", "pending"],
};
const ranks = Object.keys(markIcons);
const rankOf = (kind: string) => (ranks.indexOf(kind) + ranks.length + 1) % (ranks.length + 1);

/** Marks closer than that would lie upon each other: the list of events has them all. */
const apart = 13;

function marksInSight(marks: TimelinePage["marks"], place: (time: number) => number, sight: Sight) {
  const taken = new Set<number>();
  return marks
    .map((mark) => ({ mark, x: place(Date.parse(mark.at)) }))
    .filter(({ x }) => x > sight.left - 50 && x < sight.left + sight.width + 50)
    .sort((a, b) => rankOf(a.mark.kind) - rankOf(b.mark.kind))
    .filter(({ x }) => {
      const slot = Math.round(x / apart);
      if (taken.has(slot)) return false;
      taken.add(slot);
      return true;
    });
}

function Chart({ run, page }: { readonly run: RunPage; readonly page: TimelinePage }) {
  const isOpen = page.seats.some(({ bars }) => bars.some(({ to }) => to === null));
  const now = isOpen ? nowMs.value : 0;
  const plot = useMemo(() => plotOf(page, now), [page, now]);
  const [zoom, setZoom] = useState(1);
  const { box, sight, measure } = useSight();
  const width = Math.max(200, (sight.width - 16) * zoom);
  const scale = width / plot.axis.length;
  const [from, to] = [(sight.left - 300) / scale, (sight.left + sight.width + 300) / scale];
  const inSight = (bars: readonly PlottedBar[]) => thin(barsBetween(bars, from, to), scale);
  return (
    <>
      <div class="toolbar">
        <Zoom zoom={zoom} onZoom={setZoom} />
        {plot.paceMs !== null && (
          <p class="dim">1 planned hour took {shortly(Math.round(plot.paceMs))} here (median)</p>
        )}
      </div>
      <div class="timeline">
        <div class="seats" aria-hidden="true">
          {plot.seats.map(({ name }) => (
            <div key={name} class="seat-name one">
              {shown(name)}
            </div>
          ))}
        </div>
        <div
          class="chart"
          ref={box}
          onScroll={measure}
          tabIndex={0}
          role="region"
          aria-label="Attempts over time"
        >
          <div class="lanes" style={{ width: `${width}px` }}>
            <Marks plot={plot} page={page} scale={scale} sight={sight} />
            {plot.seats.map(({ name, bars }) => (
              <ul key={name} class="lane" aria-label={name}>
                {inSight(bars).map((each) => (
                  <OneBar key={`${each.bar.task} ${each.bar.from}`} run={run} plotted={each} scale={scale} />
                ))}
              </ul>
            ))}
          </div>
        </div>
      </div>
    </>
  );
}

function useSight() {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ left: 0, width: 1000 });
  const measure = () => {
    const { scrollLeft: left = 0, clientWidth: width = 1000 } = box.current ?? {};
    setSight((last) => (last.left === left && last.width === width ? last : { left, width }));
  };
  useEffect(() => {
    const watching = new ResizeObserver(measure);
    if (box.current) watching.observe(box.current);
    return () => watching.disconnect();
  }, []);
  return { box, sight, measure };
}

/** Of bars that would lie in the same pixel one is drawn; zooming in shows all. */
function thin(bars: readonly PlottedBar[], scale: number): PlottedBar[] {
  let last = Number.NEGATIVE_INFINITY;
  return bars.filter(({ from, to }) => {
    if (to * scale < last + 1) return false;
    last = Math.max(from * scale + 2, to * scale);
    return true;
  });
}

function Zoom({ zoom, onZoom }: { readonly zoom: number; readonly onZoom: (zoom: number) => void }) {
  return (
    <div class="zoom" role="group" aria-label="Zoom">
      <button
        type="button"
        aria-label="Zoom out"
        disabled={zoom <= 1}
        onClick={() => onZoom(Math.max(1, zoom / 2))}
      >
        <Icon name="minus" />
      </button>
      <span class="num">{zoom}×</span>
      <button
        type="button"
        aria-label="Zoom in"
        disabled={zoom >= 256}
        onClick={() => onZoom(Math.min(256, zoom * 2))}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}

interface Sight {
  readonly left: number;
  readonly width: number;
}

function Marks({
  plot,
  page,
  scale,
  sight,
}: {
  plot: Plot;
  page: TimelinePage;
  scale: number;
  sight: Sight;
}) {
  const { axis, whole } = plot;
  const x = (time: number) => ({ left: `${axis.place(time) * scale}px` });
  return (
    <>
      <div class="axis" aria-hidden="true">
        {ticks(whole, axis, 90 / scale).map((time) => (
          <span key={time} class="tick num" style={x(time)}>
            {clock(time)}
          </span>
        ))}
      </div>
      <ul class="marks" aria-label="Marks">
        {marksInSight(page.marks, (time) => axis.place(time) * scale, sight).map(({ mark, x: left }) => {
          const [icon, tone] = markIcons[mark.kind] ?? ["flag", "pending"];
          return (
            <li
              key={`${mark.at} ${mark.kind} ${mark.text}`}
              class={`tone-${tone}`}
              style={{ left: `${left}px` }}
              title={`${clock(mark.at)} ${shown(mark.text)}`}
            >
              <Icon name={icon} />
              <span class="unseen">
                {clock(mark.at)} {shown(mark.text)}
              </span>
            </li>
          );
        })}
      </ul>
      {axis.folds.map((fold) => (
        <div
          key={fold.from}
          class="fold"
          style={{
            left: `${fold.at * scale}px`,
            width: `${Math.max(4, (axis.place(fold.to) - fold.at) * scale)}px`,
          }}
          title={`Nobody worked for ${elapsed(fold.to - fold.from)}`}
        >
          <span class="num">{elapsed(fold.to - fold.from)} idle</span>
        </div>
      ))}
    </>
  );
}

const outcomeIcon: Readonly<Record<AttemptRow["outcome"], IconName>> = {
  running: "running",
  complete: "complete",
  failed: "failed",
  lost: "lost",
  paused: "paused",
};

function sentence({ bar }: PlottedBar): string {
  const end = bar.to === null ? nowMs.peek() : Date.parse(bar.to);
  const planned = bar.estimateHours === null ? "" : `, planned ${bar.estimateHours} h`;
  return `${bar.label}: attempt ${bar.attempt}, ${outcomeWord[bar.outcome]}, ${elapsed(end - Date.parse(bar.from))}${planned}`;
}

/** A link that is narrower could not be hit: zooming in makes it one, and the list has them all. */
const narrow = 24;

function OneBar({ run, plotted, scale }: { run: RunPage; plotted: PlottedBar; scale: number }) {
  const { bar, from, to, planned } = plotted;
  const width = Math.max(3, (to - from) * scale);
  const inside = (
    <>
      {plotted.stages.map((each, at) => (
        <i
          key={at}
          class={`stage stage-${each.stage}`}
          style={{
            left: `${(each.from - from) * scale}px`,
            width: `${Math.max(0, (each.to - each.from) * scale)}px`,
          }}
        />
      ))}
      {width > 40 && (
        <span class="label one">
          <Icon name={outcomeIcon[bar.outcome]} />
          {shown(bar.label)}
        </span>
      )}
      <span class="unseen">{shown(sentence(plotted))}</span>
    </>
  );
  const style = { left: `${from * scale}px`, width: `${width}px` };
  const at = { class: `time-bar outcome-${bar.outcome}`, style, title: sentence(plotted) };
  return (
    <li>
      {bar.task === null || width < narrow ? (
        <span {...at}>{inside}</span>
      ) : (
        <a
          {...at}
          href={hrefOf({
            at: "task",
            run: run.id,
            task: bar.task,
            query: { ...kept(route.value), attempt: String(bar.attempt) },
          })}
        >
          {inside}
        </a>
      )}
      {planned !== null && (
        <i
          class="planned-bar"
          aria-hidden="true"
          style={{ left: `${from * scale}px`, width: `${Math.max(2, (planned - from) * scale)}px` }}
        />
      )}
    </li>
  );
}

function List({ run, page }: { readonly run: RunPage; readonly page: TimelinePage }) {
  const rows = useMemo(
    () =>
      page.seats
        .flatMap(({ name, bars }) => bars.map((bar) => ({ seat: name, bar })))
        .sort((a, b) => (a.bar.from < b.bar.from ? -1 : 1)),
    [page],
  );
  return (
    <Windowed
      class="tall"
      items={rows}
      rowHeight={44}
      label="Attempts, the earliest first"
      keyOf={({ seat, bar }) => `${seat} ${bar.from} ${bar.task} ${bar.attempt}`}
    >
      {({ seat, bar }, tabIndex) => {
        const end = bar.to === null ? nowMs.peek() : Date.parse(bar.to);
        const to =
          bar.task === null
            ? undefined
            : hrefOf({
                at: "task",
                run: run.id,
                task: bar.task,
                query: { ...kept(route.value), attempt: String(bar.attempt) },
              });
        return (
          <a class="row" tabIndex={tabIndex} href={to ?? hrefOf(route.value)}>
            <span class="dim num" title={day(bar.from)}>
              <At at={bar.from} />
            </span>
            <span class={`mark tone-${bar.outcome}`}>
              <Icon name={outcomeIcon[bar.outcome]} />
              {outcomeWord[bar.outcome]}
            </span>
            <span class="grow one">{shown(bar.label)}</span>
            <span class="dim one">{shown(seat)}</span>
            <span class="num">{elapsed(end - Date.parse(bar.from))}</span>
          </a>
        );
      }}
    </Windowed>
  );
}
