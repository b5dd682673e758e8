// The replay: a slider over the moments of the event log. The moment is in the address, and every view shows the run as it
// was then.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { MomentsPage, RunPage } from "../../src/page/model.ts";
import { useLoaded } from "../load.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { At, Shown } from "../parts/text.tsx";
import { hrefOf, momentOf, type Route } from "../route.ts";
import { query, reopened, route, theSource } from "../store.ts";
import { day, shown } from "../words.ts";

/** Of a replay that runs by itself. */
const stepMs = 700;

export function ReplayBar({ run }: { readonly run: RunPage }) {
  const loaded = useLoaded({
    key: `moments ${run.id}`,
    version: String(reopened.value),
    load: (signal) => theSource().moments({ run: run.id, signal }),
  });
  return (
    <section class="replay" aria-label="Replay">
      <Shown loaded={loaded}>{(page) => <Slider page={page} />}</Shown>
    </section>
  );
}

function Slider({ page: { moments } }: { readonly page: MomentsPage }) {
  const at = momentOf(route.value) ?? 0;
  const last = moments.length - 1;
  const found = useMemo(() => moments.findLastIndex(({ position }) => position <= at), [moments, at]);
  const index = Math.max(0, found);
  const [plays, setPlays] = useState(false);
  const to = (next: number) => {
    const moment = moments[Math.max(0, Math.min(last, next))];
    if (moment) query({ at: String(moment.position) });
  };
  useEffect(() => {
    if (!plays) return;
    if (index >= last) return setPlays(false);
    const timer = setTimeout(() => to(index + 1), stepMs);
    return () => clearTimeout(timer);
  }, [plays, index]);
  const here = moments[index];
  const { at: _, ...rest } = route.value.query;
  if (!here) return <p class="dim">This run has no moments yet.</p>;
  const press = () => {
    if (!plays && index >= last) to(0);
    setPlays(!plays);
  };
  return (
    <>
      <div class="slider">
        <Press icon="back" label="One moment back" onPress={() => to(index - 1)} isOff={index === 0} />
        <Press icon={plays ? "pause" : "play"} label={plays ? "Pause" : "Play"} onPress={press} />
        <Press icon="forward" label="One moment on" onPress={() => to(index + 1)} isOff={index >= last} />
        <input
          type="range"
          aria-label="Moment of the run"
          aria-valuetext={`${day(here.at)}: ${here.text}`}
          min={0}
          max={last}
          value={index}
          onInput={(event) => to(Number(event.currentTarget.value))}
        />
        <a class="button" href={hrefOf({ ...route.value, query: rest } as Route)}>
          Back to now
        </a>
      </div>
      <p class="moment">
        <Icon name="clock" />
        <b>
          <At at={here.at} />
        </b>
        <span class="one">{shown(here.text)}</span>
        <span class="dim num end">
          event {here.position} · {index + 1} of {moments.length}
        </span>
      </p>
    </>
  );
}

interface PressProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onPress: () => void;
  readonly isOff?: boolean;
}

function Press({ icon, label, onPress, isOff = false }: PressProps) {
  return (
    <button type="button" class="quiet" aria-label={label} disabled={isOff} onClick={onPress}>
      <Icon name={icon} />
    </button>
  );
}
