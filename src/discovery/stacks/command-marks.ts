// What a command does beside checking (D26), told from its words: whether it reaches out, and whether it changes files. Such
// a command is no gate: it is shown with its mark, and is not run before somebody asks for it.

const reachesOut =
  /\b(?:curl|wget|ssh|scp|rsync)\s|\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|ci|add|publish|audit|dlx)\b|\bpip3?\s+install\b|\b(?:docker|podman)\s+(?:pull|push|run|compose|build)\b|\bdocker-compose\b|\bplaywright\s+install\b|\bgit\s+(?:push|pull|fetch|clone)\b|\b(?:deploy|publish|release)\b|\bgo\s+(?:get|install)\b|\bcargo\s+(?:install|publish|update|audit)\b|\b(?:uv|poetry)\s+(?:sync|install|publish|add)\b|https?:\/\/(?!localhost|127\.)/i;

const changesFiles =
  /--fix\b|--write\b|--update-?snapshots?\b|--updateSnapshot\b|\bjest\s.*\s-u\b|\bvitest\s.*\s-u\b|\bgofmt\s.*-[a-z]*w|\bgoimports\s.*-w|\bsed\s+-i|\brm\s+-|\bcargo\s+fmt\b(?!.*--check)|\bruff\s+format\b(?!.*--(?:check|diff))|\bblack\b(?!.*--(?:check|diff))|\bisort\b(?!.*--(?:check|diff))|\bdprint\s+fmt\b|\bgo\s+(?:fmt|generate|mod\s+tidy)\b|\bclean\b|\bformat\b(?!.*check)(?=.*\b(?:mix|dart|dotnet)\b)|\brubocop\b.*\s(?:-a|-A|--auto)/;

export interface Marks {
  readonly network?: true;
  readonly changes_files?: true;
}

/** A formatter writes unless it is told to look. */
const onlyLooks = /check|--list-different|\s-l\b|diff|--dry-run|verify|lint/i;

/** `does`: what a script stands for; the name of a script alone says little. */
export function marksOf(
  run: string,
  { does = "", purpose }: { does?: string | undefined; purpose?: string } = {},
): Marks {
  const words = does === "" ? run : does;
  const writes = purpose === "format" && !onlyLooks.test(`${run} ${does}`);
  return {
    ...(reachesOut.test(words) && { network: true as const }),
    ...((writes || changesFiles.test(words)) && { changes_files: true as const }),
  };
}
