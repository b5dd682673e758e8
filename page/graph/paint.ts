// The whole graph on a canvas, for the minimap and for looking at it from far away: one colour per state, few calls.
import type { TaskStatus } from "../../src/core/run.ts";
import { node } from "../shape/layered.ts";
import { statuses } from "../words.ts";
import type { Camera, Size } from "./camera.ts";
import type { Picture } from "./model.ts";

/** Colours are asked of the style sheet, which knows of light and dark. */
export function colours(element: Element): (name: TaskStatus | "edge" | "accent") => string {
  const style = getComputedStyle(element);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

/** With more edges than these, lines would be a grey field. */
const fewEdges = 4_000;

interface Sheet {
  readonly canvas: HTMLCanvasElement;
  readonly camera: Camera;
  readonly view: Size;
}

export function paint({ layout, rows, criticalEdges }: Picture, { canvas, camera, view }: Sheet): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const ratio = devicePixelRatio;
  const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const of = colours(canvas);
  const k = camera.zoom * ratio;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  context.setTransform(k, 0, 0, k, -camera.x * k, -camera.y * k);
  const line = (edges: Iterable<{ from: number; to: number }>, colour: string, thick: number) => {
    context.strokeStyle = colour;
    context.lineWidth = thick / camera.zoom;
    context.beginPath();
    for (const { from, to } of edges) {
      const [a, b] = [layout.nodes[from], layout.nodes[to]];
      if (!a || !b) continue;
      context.moveTo(a.x + node.width, a.y + node.height / 2);
      context.lineTo(b.x, b.y + node.height / 2);
    }
    context.stroke();
  };
  if (layout.edges.length <= fewEdges) line(layout.edges, of("edge"), 1);
  line(criticalEdges, of("accent"), 2);
  const [right, bottom] = [camera.x + view.width / camera.zoom, camera.y + view.height / camera.zoom];
  // A box is never thinner than a pixel.
  const [w, h] = [Math.max(node.width, 1.5 / camera.zoom), Math.max(node.height, 1.5 / camera.zoom)];
  for (const status of statuses) {
    context.fillStyle = of(status);
    rows.forEach((row, at) => {
      const place = layout.nodes[at];
      if (row.status !== status || !place) return;
      if (place.x > right || place.y > bottom || place.x + w < camera.x || place.y + h < camera.y) return;
      context.fillRect(place.x, place.y, w, h);
    });
  }
}
