// The tasks and edges around the window, as elements of an SVG that is larger than what is drawn. Panning moves the whole of it, which
// the browser does without painting; zooming, and coming near its edge, draw it anew.
import { type ReadonlySignal, type Signal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { TaskRow } from "../../src/page/model.ts";
import { drawnIcon, iconOf } from "../parts/icon.tsx";
import { type Box, node, nodesIn } from "../shape/layered.ts";
import { shown } from "../words.ts";
import type { Camera } from "./camera.ts";
import { edgesIn, type Picture, pathOf } from "./model.ts";

interface Props {
  readonly picture: Picture;
  readonly camera: Signal<Camera>;
  readonly box: ReadonlySignal<Box>;
  readonly isFar: ReadonlySignal<boolean>;
  readonly selected: number | null;
  readonly onChoose: (at: number) => void;
}

export function Drawn({ picture, camera, box, isFar, selected, onChoose }: Props) {
  const sheet = useRef<SVGSVGElement>(null);
  /** What is on the sheet, which is not yet what will be there after the next drawing. */
  const on = useRef({ box: box.value, zoom: 0 });
  const move = () => {
    const { x, y, zoom } = camera.value;
    if (sheet.current) lay(sheet.current, { ...on.current, camera: { x, y, zoom } });
    on.current.zoom = zoom;
  };
  useSignalEffect(move);
  useLayoutEffect(() => {
    on.current = { box: box.value, zoom: 0 };
    move();
  }, [isFar.value, box.value]);
  if (isFar.value) return null;
  const { layout, rows, critical, criticalEdges } = picture;
  const nodes = nodesIn(layout, box.value);
  const tabStop = selected !== null && nodes.includes(selected) ? selected : nodes[0];
  return (
    <svg class="near" role="presentation" ref={sheet}>
      <g>
        {edgesIn(layout, box.value).map((edge) => {
          const isOwn = edge.from === selected || edge.to === selected;
          const kind = criticalEdges.has(edge)
            ? "critical"
            : rows[edge.from]?.status === "complete"
              ? "done"
              : "";
          return (
            <path
              key={`${edge.from} ${edge.to}`}
              class={`edge ${kind} ${isOwn ? "own" : ""}`}
              d={pathOf(layout, edge)}
            />
          );
        })}
        {nodes.map((at) => {
          const [row, place] = [rows[at], layout.nodes[at]];
          if (!row || !place) return null;
          return (
            <TaskBox
              key={row.id}
              at={at}
              x={place.x}
              y={place.y}
              row={row}
              isCritical={critical.has(row.id)}
              isSelected={at === selected}
              isStop={at === tabStop}
              onChoose={onChoose}
            />
          );
        })}
      </g>
    </svg>
  );
}

interface Laid {
  readonly box: Box;
  /** Of what is painted. */
  readonly zoom: number;
  readonly camera: Camera;
}

/** The sheet reaches beyond what is on it, in large steps: while it stays where it is, only what comes to it is painted. */
const sheetStep = 4_000;

function lay(sheet: SVGSVGElement, { box, zoom, camera }: Laid): void {
  const step = sheetStep / camera.zoom;
  const [left, top] = [Math.floor(box.left / step) * step, Math.floor(box.top / step) * step];
  if (zoom !== camera.zoom) {
    const [right, bottom] = [Math.ceil(box.right / step) * step, Math.ceil(box.bottom / step) * step];
    sheet.style.width = `${(right - left) * camera.zoom}px`;
    sheet.style.height = `${(bottom - top) * camera.zoom}px`;
    const placed = `scale(${camera.zoom}) translate(${-left} ${-top})`;
    const group = sheet.firstElementChild;
    if (group?.getAttribute("transform") !== placed) group?.setAttribute("transform", placed);
  }
  const [x, y] = [(left - camera.x) * camera.zoom, (top - camera.y) * camera.zoom];
  sheet.style.transform = `translate(${x}px, ${y}px)`;
}

interface BoxProps {
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly row: TaskRow;
  readonly isCritical: boolean;
  readonly isSelected: boolean;
  readonly isStop: boolean;
  readonly onChoose: (at: number) => void;
}

/** What fits into a box; the whole name is in its title, which is read out and shown under the pointer. */
const letters = 26;

/** At a word's end, where there is one: what is read out then has the words that are seen. */
function clipped(name: string): string {
  if (name.length <= letters) return name;
  const part = name.slice(0, letters - 1);
  return `${part.includes(" ") ? part.slice(0, part.lastIndexOf(" ")) : part}…`;
}

function TaskBox({ at, x, y, row, isCritical, isSelected, isStop, onChoose }: BoxProps) {
  const [id, name] = [shown(row.id), shown(row.name)];
  const state = row.stage ?? row.status;
  const marks = `${isCritical ? ", critical path" : ""}${row.steel ? ", steel thread" : ""}`;
  const choose = (event: Event) => {
    event.preventDefault();
    onChoose(at);
  };
  return (
    <g
      class={`node node-${row.status} ${isCritical ? "critical" : ""} ${isSelected ? "selected" : ""}`}
      transform={`translate(${x} ${y})`}
      data-node={at}
      role="button"
      tabindex={isStop ? 0 : -1}
      aria-pressed={isSelected}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") choose(event);
      }}
    >
      <title>{`${id} ${state} ${name}${marks}`}</title>
      <rect class="box" width={node.width} height={node.height} rx="6" />
      {isCritical && <rect class="stripe" width="4" height={node.height - 12} x="0" y="6" rx="2" />}
      <g class={`tone-${row.status}`} transform="translate(11 8)">
        <IconInside row={row} />
      </g>
      <text class="id" x="30" y="19">
        {id}
      </text>{" "}
      <text class="state" x={node.width - 10} y="19" text-anchor="end">
        {row.steel ? `◆ ${state}` : state}
      </text>{" "}
      <text x="11" y="37">
        {clipped(name)}
      </text>
    </g>
  );
}

function IconInside({ row }: { readonly row: TaskRow }) {
  return (
    <svg width="13" height="13" viewBox="0 0 16 16" aria-hidden="true">
      {drawnIcon(iconOf(row))}
    </svg>
  );
}
