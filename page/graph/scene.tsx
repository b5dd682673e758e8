// The window onto the graph. Near, tasks are elements, and only those around the window exist; far away the whole is painted
// on a canvas. The camera moves one group: a frame of panning draws nothing anew.
import { computed, type Signal, signal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { node } from "../shape/layered.ts";
import { type Camera, centredOn, drawnBox, fitting, panned, type Size, zoomed } from "./camera.ts";
import { Drawn } from "./drawn.tsx";
import { Minimap } from "./minimap.tsx";
import { type Direction, neighbour, type Picture } from "./model.ts";
import { paint } from "./paint.ts";

interface Props {
  readonly picture: Picture;
  readonly selected: number | null;
  readonly onSelect: (at: number | null) => void;
}

/** Farther away no word can be read. */
const farZoom = 0.3;

export function Scene({ picture, selected, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { camera, view, isFar, drawn } = useMemo(stateOf, []);
  const focusNext = useRef(false);
  const tools = { camera, view, picture };
  useView(box, tools, selected);
  useLayoutEffect(() => {
    if (!focusNext.current || selected === null) return;
    focusNext.current = false;
    box.current?.querySelector<SVGElement>(`[data-node="${selected}"]`)?.focus({ preventScroll: true });
  });
  const choose = (at: number) => {
    bring(at, tools);
    focusNext.current = true;
    onSelect(at);
  };
  useMovement(box, tools);
  return (
    <div class="scene" ref={box}>
      <div
        class="ground"
        tabIndex={0}
        role="group"
        aria-label="Graph of tasks. Arrow keys move, plus and minus zoom, 0 shows all, Enter selects a task. The list says the same."
        onFocusIn={(event) => {
          // What is drawn reaches beyond the window, and Tab may come to it there.
          const at = (event.target as Element).getAttribute("data-node");
          if (at !== null) bring(Number(at), tools);
        }}
        onKeyDown={(event) => {
          const from = (event.target as Element).closest("[data-node]")?.getAttribute("data-node");
          const at = from ? Number(from) : null;
          const direction = directions[event.key];
          if (direction && at !== null) {
            const next = neighbour(picture, at, direction);
            if (next !== null) choose(next);
          } else if (event.key === "Enter" && at === null)
            choose(selected ?? nearestTo(picture, camera.value, view.value));
          else if (event.key === "Escape") onSelect(null);
          else if (!moveByKey(event, tools)) return;
          event.preventDefault();
        }}
      >
        <Far picture={picture} camera={camera} view={view} isFar={isFar} />
        <Drawn
          picture={picture}
          camera={camera}
          box={drawn}
          isFar={isFar}
          selected={selected}
          onChoose={choose}
        />
      </div>
      <Minimap picture={picture} camera={camera} view={view} />
      <Buttons {...tools} />
    </div>
  );
}

/** The window's size, and the first look once it is known. */
function useView(
  box: { readonly current: HTMLDivElement | null },
  { camera, view, picture }: Tools,
  selected: number | null,
): void {
  const began = useRef(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      view.value = { width: element.clientWidth, height: element.clientHeight };
      if (!began.current) camera.value = firstLook(picture, view.value, selected);
      began.current = true;
    };
    measure();
    const watching = new ResizeObserver(measure);
    watching.observe(element);
    return () => watching.disconnect();
  }, []);
}

/** Moves the camera, if it must, so that a task is in the window and can be read. */
function bring(at: number, { camera, view, picture }: Tools): void {
  const place = picture.layout.nodes[at];
  const { x, y, zoom } = camera.value;
  if (!place) return;
  const isIn =
    place.x > x &&
    place.y > y &&
    place.x + node.width < x + view.value.width / zoom &&
    place.y + node.height < y + view.value.height / zoom;
  const near = zoom < farZoom ? { ...camera.value, zoom: 0.8 } : camera.value;
  if (!isIn || zoom < farZoom)
    camera.value = centredOn(near, view.value, { x: place.x + node.width / 2, y: place.y });
}

function stateOf() {
  const camera = signal<Camera>({ x: 0, y: 0, zoom: 1 });
  const view = signal<Size>({ width: 800, height: 500 });
  const isFar = computed(() => camera.value.zoom < farZoom);
  // As text, so that equal boxes are equal.
  const key = computed(() => JSON.stringify(drawnBox(camera.value, view.value)));
  const drawn = computed(() => JSON.parse(key.value) as ReturnType<typeof drawnBox>);
  return { camera, view, isFar, drawn };
}

/** All of it, if it can be read then; else where work goes on. */
function firstLook({ layout, rows }: Picture, view: Size, selected: number | null): Camera {
  const fit = fitting(layout, view);
  if (fit.zoom >= 0.45 && selected === null) return fit;
  const running = rows.findIndex(({ status }) => status === "running");
  const open = rows.findIndex(({ status }) => status !== "complete" && status !== "skipped");
  const at = layout.nodes[selected ?? (running >= 0 ? running : Math.max(0, open))];
  const middle = { x: (at?.x ?? 0) + node.width / 2, y: (at?.y ?? 0) + node.height / 2 };
  return centredOn({ ...fit, zoom: Math.max(0.8, fit.zoom) }, view, middle);
}

function nearestTo({ layout }: Picture, { x, y, zoom }: Camera, view: Size): number {
  const middle = { x: x + view.width / zoom / 2, y: y + view.height / zoom / 2 };
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  layout.nodes.forEach((each, at) => {
    const far = Math.abs(each.x + node.width / 2 - middle.x) + Math.abs(each.y - middle.y);
    if (far < least) [best, least] = [at, far];
  });
  return best;
}

const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

interface Tools {
  readonly camera: Signal<Camera>;
  readonly view: Signal<Size>;
  readonly picture: Picture;
}

function moveByKey(event: KeyboardEvent, { camera, view, picture }: Tools): boolean {
  const { width, height } = view.value;
  const middle = { x: width / 2, y: height / 2 };
  const moves: Readonly<Record<string, () => Camera>> = {
    ArrowLeft: () => panned(camera.value, -80, 0),
    ArrowRight: () => panned(camera.value, 80, 0),
    ArrowUp: () => panned(camera.value, 0, -80),
    ArrowDown: () => panned(camera.value, 0, 80),
    "+": () => zoomed(camera.value, 1.25, middle),
    "=": () => zoomed(camera.value, 1.25, middle),
    "-": () => zoomed(camera.value, 0.8, middle),
    "0": () => fitting(picture.layout, view.value),
  };
  const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : moves[event.key];
  if (move) camera.value = move();
  return move !== undefined;
}

/** Dragging pans; the wheel pans, and with Ctrl or a pinch it zooms, as drawing programs do. */
function useMovement(
  box: { readonly current: HTMLDivElement | null },
  { camera }: Pick<Tools, "camera">,
): void {
  useEffect(() => {
    const element = box.current?.querySelector<HTMLElement>(".ground");
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const edge = element.getBoundingClientRect();
      const at = { x: event.clientX - edge.left, y: event.clientY - edge.top };
      if (event.ctrlKey || event.metaKey)
        camera.value = zoomed(camera.value, Math.exp(-event.deltaY / 300), at);
      else if (event.shiftKey) camera.value = panned(camera.value, event.deltaY + event.deltaX, 0);
      else camera.value = panned(camera.value, event.deltaX, event.deltaY);
    };
    const pressed = new Map<number, { x: number; y: number }>();
    let way = 0;
    const onDown = (event: PointerEvent) => {
      way = 0;
      pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
    };
    const onMove = (event: PointerEvent) => {
      const last = pressed.get(event.pointerId);
      if (!last || (event.pointerType === "mouse" && event.buttons === 0)) return;
      const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
      way += Math.abs(dx) + Math.abs(dy);
      const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1];
      if (other)
        camera.value = pinched(camera.value, {
          last,
          now: { x: event.clientX, y: event.clientY },
          other,
          element,
        });
      else camera.value = panned(camera.value, -dx, -dy);
      pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
    };
    const onUp = (event: PointerEvent) => pressed.delete(event.pointerId);
    /** The task under the pointer moved along: the end of a drag is no press on it. */
    const onClick = (event: MouseEvent) => way > 5 && event.stopPropagation();
    element.addEventListener("click", onClick, { capture: true });
    element.addEventListener("wheel", onWheel, { passive: false });
    element.addEventListener("pointerdown", onDown);
    addEventListener("pointermove", onMove);
    addEventListener("pointerup", onUp);
    addEventListener("pointercancel", onUp);
    return () => {
      element.removeEventListener("click", onClick, { capture: true });
      element.removeEventListener("wheel", onWheel);
      element.removeEventListener("pointerdown", onDown);
      removeEventListener("pointermove", onMove);
      removeEventListener("pointerup", onUp);
      removeEventListener("pointercancel", onUp);
    };
  }, []);
}

interface Pinch {
  readonly last: { readonly x: number; readonly y: number };
  readonly now: { readonly x: number; readonly y: number };
  readonly other: { readonly x: number; readonly y: number };
  readonly element: Element;
}

function pinched(camera: Camera, { last, now, other, element }: Pinch): Camera {
  const edge = element.getBoundingClientRect();
  const far = (a: { x: number; y: number }) => Math.max(1, Math.hypot(a.x - other.x, a.y - other.y));
  const middle = { x: (now.x + other.x) / 2 - edge.left, y: (now.y + other.y) / 2 - edge.top };
  return zoomed(camera, far(now) / far(last), middle);
}

type FarProps = Tools & { readonly isFar: Signal<boolean> };

function Far({ picture, camera, view, isFar }: FarProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const draw = () => {
    if (!canvas.current) return;
    if (isFar.value) paint(picture, { canvas: canvas.current, camera: camera.value, view: view.value });
  };
  useSignalEffect(draw);
  useEffect(draw, [picture]);
  return <canvas class="far" ref={canvas} aria-hidden="true" hidden={!isFar.value} />;
}

function Buttons({ camera, view, picture }: Tools) {
  const by = (factor: number) => {
    const { width, height } = view.value;
    camera.value = zoomed(camera.value, factor, { x: width / 2, y: height / 2 });
  };
  return (
    <div class="zoom over" role="group" aria-label="Zoom">
      <button type="button" aria-label="Zoom out" onClick={() => by(0.7)}>
        <Icon name="minus" />
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => by(1.4)}>
        <Icon name="plus" />
      </button>
      <button
        type="button"
        aria-label="Show all"
        onClick={() => {
          camera.value = fitting(picture.layout, view.value);
        }}
      >
        <Icon name="fit" />
      </button>
    </div>
  );
}
