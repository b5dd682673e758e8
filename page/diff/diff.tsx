// A diff, inline or side by side, with comments on its lines. On a narrow screen it is inline whatever was chosen.
import { useMemo, useState } from "preact/hooks";
import type { Action, CommentRow, DiffPage } from "../../src/page/model.ts";
import type { About } from "../parts/actions.tsx";
import { query, route } from "../store.ts";
import { shown } from "../words.ts";
import { FileLines } from "./lines.tsx";
import { type DiffFile, parseDiff } from "./parse.ts";

export interface DiffProps {
  readonly diff: DiffPage;
  readonly comments: readonly CommentRow[];
  /** Given where a line can be commented on. */
  readonly action: Action | null;
  readonly about: About;
}

export function DiffView({ diff, ...more }: DiffProps) {
  const files = useMemo(() => parseDiff(diff.text), [diff.text]);
  const isSplit = route.value.query.diff === "split";
  return (
    <div class="diff">
      <div class="segments" role="group" aria-label="How changes are shown">
        <button type="button" aria-pressed={!isSplit} onClick={() => query({ diff: "" })}>
          Inline
        </button>
        <button type="button" aria-pressed={isSplit} onClick={() => query({ diff: "split" })}>
          Side by side
        </button>
      </div>
      {files.map((file) => (
        <File key={file.path} file={file} isSplit={isSplit} {...more} />
      ))}
      {files.length === 0 && diff.text !== "" && <pre class="log">{shown(diff.text)}</pre>}
      {diff.cut && <p class="dim">The diff is cut here: it is longer than the page shows.</p>}
    </div>
  );
}

/** Longer ones are closed at first. */
const longLines = 400;

type FileProps = Omit<DiffProps, "diff"> & { readonly file: DiffFile; readonly isSplit: boolean };

function File({ file, comments, ...more }: FileProps) {
  const lines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const [open, setOpen] = useState(lines <= longLines);
  const own = comments.filter(({ path }) => path === file.path);
  return (
    <details class="file" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="path">
          {file.from !== null && <span class="dim">{shown(file.from)} → </span>}
          {shown(file.path)}
        </span>
        {file.how !== "changed" && <span class="tag">{file.how}</span>}
        <span class="end num">
          <span class="tone-complete">+{file.added}</span> <span class="tone-failed">−{file.removed}</span>
        </span>
      </summary>
      {open && <FileLines file={file} comments={own} {...more} />}
      {file.how === "binary" && <p class="dim">A binary file.</p>}
    </details>
  );
}
