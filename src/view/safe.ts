// Text from outside on a terminal: control characters, escape sequences and direction overrides are shown, not
// obeyed. Stored text is left as it is.

// C0 but tab and newline, DEL and C1, direction marks and isolates, zero-width characters, line separators.
const unsafe =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export function safe(text: string): string {
  return text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function oneLine(text: string): string {
  return safe(text.replace(/\r?\n/g, "⏎").replace(/\t/g, " "));
}
