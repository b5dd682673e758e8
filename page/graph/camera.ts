// Where one looks at the graph from: an offset and a zoom. Pure.
import type { Box } from "../shape/layered.ts";

export interface Camera {
  /** What is at the left and top edge of the window, in the graph's own units. */
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The longest of plans still fits into the smallest of windows. */
export const farthest = 0.0005;
export const nearest = 2.5;
const margin = 24;

export function fitting(graph: Size, view: Size): Camera {
  const zoom = Math.min(
    1,
    Math.max(
      farthest,
      Math.min((view.width - 2 * margin) / graph.width, (view.height - 2 * margin) / graph.height),
    ),
  );
  return {
    x: (graph.width - view.width / zoom) / 2,
    y: (graph.height - view.height / zoom) / 2,
    zoom,
  };
}

/** Keeps what is under a point of the window there. */
export function zoomed(
  camera: Camera,
  factor: number,
  at: { readonly x: number; readonly y: number },
): Camera {
  const zoom = Math.min(nearest, Math.max(farthest, camera.zoom * factor));
  return {
    x: camera.x + at.x / camera.zoom - at.x / zoom,
    y: camera.y + at.y / camera.zoom - at.y / zoom,
    zoom,
  };
}

export const panned = (camera: Camera, dx: number, dy: number): Camera => ({
  ...camera,
  x: camera.x + dx / camera.zoom,
  y: camera.y + dy / camera.zoom,
});

export const centredOn = (
  camera: Camera,
  view: Size,
  at: { readonly x: number; readonly y: number },
): Camera => ({
  ...camera,
  x: at.x - view.width / camera.zoom / 2,
  y: at.y - view.height / camera.zoom / 2,
});

/**
 * What is drawn: the window and as much again around it, in steps, so that panning draws something new only now and then.
 */
export function drawnBox({ x, y, zoom }: Camera, view: Size): Box {
  const step = 400 / zoom;
  const down = (value: number) => Math.floor(value / step) * step;
  const up = (value: number) => Math.ceil(value / step) * step;
  return {
    left: down(x - step / 4),
    top: down(y - step / 4),
    right: up(x + view.width / zoom + step / 4),
    bottom: up(y + view.height / zoom + step / 4),
  };
}
