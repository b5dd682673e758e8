// A protocol drawn: its phases one under the other, ways forward on the right, ways back on the left, each with a number
// that the list below explains. No program is needed to draw it, and none to look at it but a browser.
import type { Protocol } from "../core/protocol.ts";
import { oneLine } from "./safe.ts";

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly rules: readonly string[];
}

const box = { width: 220, height: 44, gap: 34, left: 260, top: 24 };
const lineHeight = 18;

export function protocolSvg(protocol: Protocol): string {
  const edges = edgesOf(protocol);
  const bottom = yOf(protocol.phases.length) + 8;
  const legend = edges.flatMap((edge, index) => legendOf(protocol, edge, index + 1));
  const height = bottom + legend.length * lineHeight + 24;
  const parts = [
    ...edges.map((edge, index) => edgeSvg(edge, index + 1)),
    ...protocol.phases.map((phase, index) => phaseSvg(phase, index)),
    ...legend.map((line, index) => textSvg(line, { x: 24, y: bottom + 24 + index * lineHeight })),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 ${height}" font-family="system-ui, sans-serif" font-size="13">
<title>${escaped(`${protocol.name}: ${protocol.about}`)}</title>
<style>text{fill:#222}path{fill:none;stroke:#888}rect{fill:#f4f4f6;stroke:#555}.end rect{stroke-width:3}circle{fill:#fff;stroke:#888}
@media(prefers-color-scheme:dark){text{fill:#eee}rect{fill:#2a2a2e;stroke:#aaa}circle{fill:#111}}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#888;stroke:none"/></marker></defs>
${parts.join("\n")}
</svg>
`;
}

/** One line between two phases, however many rules lead that way. */
function edgesOf({ phases, rules }: Protocol): Edge[] {
  const names = phases.map(({ name }) => name);
  const found = new Map<string, { from: number; to: number; rules: string[] }>();
  for (const { name, when, then } of rules) {
    if (then.kind !== "go") continue;
    for (const phase of when.phase ?? names) {
      const [from, to] = [names.indexOf(phase), names.indexOf(then.to)];
      if (from < 0 || to < 0 || from === to) continue;
      const key = `${from} ${to}`;
      const edge = found.get(key) ?? { from, to, rules: [] };
      edge.rules.push(name);
      found.set(key, edge);
    }
  }
  return [...found.values()].sort((a, b) => a.from - b.from || a.to - b.to);
}

const yOf = (index: number) => box.top + index * (box.height + box.gap);

function phaseSvg({ name, about, end }: Protocol["phases"][number], index: number): string {
  const y = yOf(index);
  const middle = box.left + box.width / 2;
  return `<g${end ? ' class="end"' : ""}><title>${escaped(about)}</title><rect x="${box.left}" y="${y}" width="${box.width}" height="${box.height}" rx="8"/><text x="${middle}" y="${y + 19}" text-anchor="middle" font-weight="600">${escaped(name)}</text><text x="${middle}" y="${y + 35}" text-anchor="middle" font-size="11">${escaped(about).slice(0, 60)}</text></g>`;
}

function edgeSvg({ from, to, rules }: Edge, number: number): string {
  const title = `<title>${escaped(rules.join("; "))}</title>`;
  if (to === from + 1) {
    const x = box.left + box.width / 2;
    const [top, bottom] = [yOf(from) + box.height, yOf(to)];
    return `<g>${title}<path d="M${x} ${top}V${bottom}" marker-end="url(#tip)"/>${badge(number, x, (top + bottom) / 2)}</g>`;
  }
  const forward = to > from;
  const side = forward ? box.left + box.width : box.left;
  const reach = 26 + 26 * Math.abs(to - from);
  const far = forward ? side + reach : side - reach;
  // Lines that leave and reach a phase on the same side keep apart.
  const [start, end] = [yOf(from) + 14 + ((to * 5) % 22), yOf(to) + 12 + ((from * 7) % 24)];
  const path = `M${side} ${start}C${far} ${start} ${far} ${end} ${side} ${end}`;
  const x = side + (far - side) * 0.75;
  return `<g>${title}<path d="${path}" marker-end="url(#tip)"/>${badge(number, x, (start + end) / 2)}</g>`;
}

const badge = (number: number, x: number, y: number) =>
  `<circle cx="${x}" cy="${y}" r="9"/><text x="${x}" y="${y + 4}" text-anchor="middle" font-size="10">${number}</text>`;

const shown = 110;

function legendOf({ phases }: Protocol, { from, to, rules }: Edge, number: number): string[] {
  const [first, ...more] = rules.map((each) => (each.length > shown ? `${each.slice(0, shown)}…` : each));
  const head = `${number}  ${phases[from]?.name} → ${phases[to]?.name}: ${first ?? ""}`;
  return [head, ...more.map((each) => `      or: ${each}`)];
}

function textSvg(line: string, { x, y }: { x: number; y: number }): string {
  return `<text x="${x}" y="${y}" xml:space="preserve">${escaped(line)}</text>`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return oneLine(text).replace(/[&<>"]/g, (character) => entities[character] ?? "");
}
