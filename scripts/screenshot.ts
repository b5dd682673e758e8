// `node scripts/screenshot.ts`: the picture in the README. It runs `heddle demo` in a real terminal (tmux), waits until three agents
// work again after the demo's kill -9, and draws what the screen shows as docs/pictures/demo.svg.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const [columns, rows] = [104, 30];
const [cellWidth, lineHeight, edge] = [7.8, 17, 14];

interface Style {
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
}

interface Piece extends Style {
  readonly text: string;
  readonly column: number;
}

const plain: Style = { colour: "#d8dee9", bold: false, dim: false };
const colours = ["#4c566a", "#e06c75", "#8fbc6f", "#e5c07b", "#81a1c1", "#b48ead", "#6fc3d0", "#e5e9f0"];

const changes: Readonly<Record<number, Partial<Style>>> = {
  0: plain,
  1: { bold: true },
  2: { dim: true },
  22: { bold: false, dim: false },
  39: { colour: plain.colour },
};

function styled(style: Style, codes: string): Style {
  const changed = { ...style };
  for (const code of (codes === "" ? "0" : codes).split(";").map(Number)) {
    const colour = colours[code >= 90 ? code - 90 : code - 30];
    Object.assign(changed, changes[code] ?? (colour === undefined ? {} : { colour }));
  }
  return changed;
}

/** The pieces of each line; a style goes on over the end of a line, as tmux writes it. */
function piecesOf(screen: string): Piece[][] {
  let style = plain;
  return screen.split("\n").map((line) => {
    let column = 0;
    return line.split("\u001b[").flatMap((part, at) => {
      const end = at === 0 ? -1 : part.indexOf("m");
      if (end >= 0) style = styled(style, part.slice(0, end));
      const text = part.slice(end + 1);
      const piece = { ...style, text, column };
      column += [...text].length;
      return text.trim() === "" ? [] : [piece];
    });
  });
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const fixed = (value: number) => String(Math.round(value * 10) / 10);

function drawn({ text, column, colour, bold, dim }: Piece, line: number): string {
  const start = text.length - text.trimStart().length;
  const shown = text.trim();
  const x = fixed(edge + (column + start) * cellWidth);
  const y = fixed(44 + line * lineHeight);
  const width = fixed([...shown].length * cellWidth);
  const weight = `${bold ? ' font-weight="bold"' : ""}${dim ? ' opacity="0.6"' : ""}`;
  return `<text x="${x}" y="${y}" fill="${colour}" textLength="${width}"${weight}>${escaped(shown)}</text>`;
}

function picture(screen: string): string {
  const lines = piecesOf(screen.trimEnd());
  const width = fixed(columns * cellWidth + 2 * edge);
  const height = fixed(58 + lines.length * lineHeight);
  const dots = ["#e06c75", "#e5c07b", "#8fbc6f"].map(
    (colour, at) => `<circle cx="${18 + at * 18}" cy="15" r="5" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="13" xml:space="preserve">`,
    "<title>heddle demo in a terminal: killed with kill -9, and going on</title>",
    `<rect width="${width}" height="${height}" rx="8" fill="#242933"/>`,
    ...dots,
    ...lines.flatMap((pieces, line) => pieces.map((piece) => drawn(piece, line))),
    "</svg>\n",
  ].join("\n");
}

async function capture(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-screenshot-"));
  const tmux = (...words: string[]) =>
    execFileSync("tmux", ["-S", join(folder, "socket"), ...words], { encoding: "utf8" });
  const command = `'${process.execPath}' '${root}/dist/heddle.js' demo --dir '${folder}/demo'`;
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", folder, `${command}; sleep 60`);
  try {
    for (let tries = 0; tries < 600; tries++) {
      await new Promise((settle) => setTimeout(settle, 200));
      const screen = tmux("capture-pane", "-e", "-p");
      const [, after = ""] = screen.split("kill -9");
      if ((after.match(/●.*(?:working|checking)/g) ?? []).length > 2) return screen;
    }
    throw new Error("three agents at work after the kill were never on the screen");
  } finally {
    tmux("kill-server");
    rmSync(folder, { recursive: true, force: true });
  }
}

writeFileSync(join(root, "docs/pictures/demo.svg"), picture(await capture()));
