// The whole notebook as one text, for people and for other programs. Notes come in the order in which they were made.

export const formats = { markdown, csv, json };

function markdown(notes) {
  const lines = ["# Notes"];
  let day;
  for (const { created, text } of notes) {
    const made = created.slice(0, 10);
    if (made !== day) lines.push("", `## ${made}`, "");
    lines.push(`- ${text}`);
    day = made;
  }
  return lines.join("\n");
}

function csv(notes) {
  const rows = notes.map(({ id, created, tags, text }) => [String(id), created, tags.join(" "), text]);
  return [["id", "created", "tags", "text"], ...rows].map((row) => row.map(csvField).join(",")).join("\n");
}

function csvField(value) {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function json(notes) {
  return JSON.stringify(notes, null, 2);
}
