// How wide text is on a terminal, and cutting it to a width. A line that is one cell too long wraps, and a screen that is
// drawn over falls apart; so wide and combining characters count as what they take.

/** East Asian wide and full-width forms, and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const none = /\p{Mn}|\p{Me}|[\ufe00-\ufe0f]/u;
const color = /\u001b\[\d+m/g;

function cellsOf(character: string): number {
  if (character < "\u0300") return 1;
  return wide.test(character) ? 2 : none.test(character) ? 0 : 1;
}

/** Colours take no room. */
export function cells(text: string): number {
  let sum = 0;
  for (const character of text.replace(color, "")) sum += cellsOf(character);
  return sum;
}

/** At most `width` cells; what is cut off ends in `…`. Colours stay whole. */
export function cut(text: string, width: number): string {
  if (text.length <= width && !/[^\u0020-\u007e]/.test(text)) return text;
  if (cells(text) <= width) return text;
  let room = width - 1;
  let open = true;
  const kept = text.replace(/(\u001b\[\d+m)|([\s\S])/gu, (_, code: string | undefined, character: string) => {
    if (code !== undefined) return code;
    if (!open) return "";
    const takes = cellsOf(character);
    if (takes > room) {
      open = false;
      return "…";
    }
    room -= takes;
    return character;
  });
  return width < 1 ? "" : kept;
}

/** Exactly `width` cells. */
export function padded(text: string, width: number, side: "left" | "right" = "left"): string {
  const kept = cut(text, width);
  const space = " ".repeat(Math.max(0, width - cells(kept)));
  return side === "left" ? kept + space : space + kept;
}
