// Which box there is on this machine, and the way into one: the one place that knows every maker. Each is a file beside this.
import { joined } from "../../core/hint.ts";
import { type Problem, problem } from "../../core/problem.ts";
import type { Box, BoxKind, FoundSandbox, Inhabitant, Way } from "../program/sandbox.ts";
import { tryBubblewrap, wayIntoBubblewrap } from "./bubblewrap.ts";
import { wayIntoContainer } from "./container.ts";
import { type ContainerWish, tryContainer } from "./container-find.ts";
import { trySeatbelt, wayIntoSeatbelt } from "./seatbelt.ts";

/** The way into the box for a program that starts in `cwd` with exactly `environment`. Nothing is started here. */
export function wayInto(inhabitant: Inhabitant, box: Box): Way | { readonly problem: Problem } {
  const { cwd, environment } = inhabitant;
  const isWrong = ([name, value]: [string, string]) => !/^[^=\0]+$/.test(name) || value.includes("\0");
  if (Object.entries(environment).some(isWrong) || cwd.includes("\0"))
    return { problem: problem("bad-environment", "a NUL byte, or a variable without a proper name") };
  const { sandbox } = box;
  switch (sandbox.kind) {
    case "bubblewrap":
      return wayIntoBubblewrap(inhabitant, { ...box, sandbox });
    case "container":
      return wayIntoContainer(inhabitant, { ...box, sandbox });
    case "seatbelt":
      return wayIntoSeatbelt(inhabitant, { ...box, sandbox });
  }
}

/** What the person wants; without a kind, what the system has of its own, or the image if that cannot be. */
export interface BoxWish {
  readonly kind?: BoxKind;
  /** Asked for only when a container is looked for. */
  readonly container?: () => ContainerWish | { readonly problem: Problem };
}

const found = new Map<string, Promise<FoundSandbox>>();

/** Looks once per process, by starting a box and a program in it. Never throws. */
export function findSandbox(wish: BoxWish = {}): Promise<FoundSandbox> {
  const kind = wish.kind ?? (process.platform === "darwin" ? "seatbelt" : "bubblewrap");
  return wish.kind === undefined ? orContainer(kind, wish) : find(kind, wish);
}

/** No engine is looked for where the system's own box holds. */
async function orContainer(kind: BoxKind, wish: BoxWish): Promise<FoundSandbox> {
  const own = await find(kind, wish);
  if (own.ok || !wish.container) return own;
  const other = await find("container", wish);
  if (other.ok) return other;
  // An engine that lacks nothing but the image would do as well.
  const { hint = "" } = own.problem;
  const both = joined(hint, "; or, for a container: ", other.problem.hint ?? "");
  return other.problem.code === "no-image" ? { ok: false, problem: { ...own.problem, hint: both } } : own;
}

function find(kind: BoxKind, { container }: BoxWish): Promise<FoundSandbox> {
  const image = kind === "container" ? container?.() : undefined;
  if (image && "problem" in image) return Promise.resolve({ ok: false, problem: image.problem });
  const key = `${kind} ${JSON.stringify(image ?? "")}`;
  const known = found.get(key) ?? look(kind, image);
  found.set(key, known);
  return known;
}

function look(kind: BoxKind, image: ContainerWish | undefined): Promise<FoundSandbox> {
  const searchPath = process.env.PATH ?? "";
  if (kind === "seatbelt") return trySeatbelt();
  if (kind === "bubblewrap") return tryBubblewrap(searchPath);
  if (image) return tryContainer(image, searchPath);
  return Promise.resolve({
    ok: false,
    problem: problem("no-sandbox", "no image is named for the container in which programs are to run", {
      hint: '"box": {"container": {"image": "<image>"}} in .heddle/config.json',
    }),
  });
}
