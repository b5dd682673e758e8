// The whole graph in a corner, with a frame around what is in the window. A press goes there.
import type { Signal } from "@preact/signals";
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Camera, centredOn, fitting, type Size } from "./camera.ts";
import type { Picture } from "./model.ts";
import { paint } from "./paint.ts";

interface Props {
  readonly picture: Picture;
  readonly camera: Signal<Camera>;
  readonly view: Signal<Size>;
}

const size = { width: 180, height: 110 };

export function Minimap({ picture, camera, view }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const whole = fitting(picture.layout, size);
  useEffect(() => {
    if (canvas.current) paint(picture, { canvas: canvas.current, camera: whole, view: size });
  }, [picture]);
  const place = () => {
    const { x, y, zoom } = camera.value;
    const { width, height } = view.value;
    if (!frame.current) return;
    Object.assign(frame.current.style, {
      transform: `translate(${(x - whole.x) * whole.zoom}px, ${(y - whole.y) * whole.zoom}px)`,
      width: `${(width / zoom) * whole.zoom}px`,
      height: `${(height / zoom) * whole.zoom}px`,
    });
  };
  useSignalEffect(place);
  useEffect(place, [picture]);
  const go = (event: PointerEvent) => {
    if (event.type === "pointermove" && event.buttons === 0) return;
    event.stopPropagation();
    const edge = (event.currentTarget as Element).getBoundingClientRect();
    camera.value = centredOn(camera.value, view.value, {
      x: whole.x + (event.clientX - edge.left) / whole.zoom,
      y: whole.y + (event.clientY - edge.top) / whole.zoom,
    });
  };
  return (
    <div class="minimap" aria-hidden="true" onPointerDown={go} onPointerMove={go}>
      <canvas ref={canvas} />
      <div class="frame" ref={frame} />
    </div>
  );
}
