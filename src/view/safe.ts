// Text from outside on a terminal: control characters, escape sequences and direction overrides are shown, not
// obeyed. Stored text is left as it is.

// C0 but tab and newline, DEL and C1, direction marks and isolates, zero-width characters, line separators.
const unsafe =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export function safe(text: string): string {
  return text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What an agent or a program printed for a terminal: its colours and cursor movements mean nothing here. */
export function withoutEscapes(text: string): string {
  return text.replace(
    /\u001b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g,
    "",
  );
}

export function oneLine(text: string): string {
  return safe(text.replace(/\r?\n/g, "⏎").replace(/\t/g, " "));
}
