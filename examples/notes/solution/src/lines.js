// Notes as lines for a terminal.

/** One line for each note, newest first, with the ids in a column. */
export function linesOf(notes) {
  const newestFirst = notes.toReversed();
  const width = String(newestFirst[0]?.id).length;
  return newestFirst.map(
    ({ id, created, text }) => `${String(id).padStart(width)}  ${created.slice(0, 10)}  ${text}`,
  );
}
