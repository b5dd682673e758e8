// The lines of one file of a diff. A line's number is a button where it can be commented on; arrow keys go from one to the
// next, so a file is one stop of the Tab key.
import { Fragment } from "preact";
import { useRef, useState } from "preact/hooks";
import type { CommentRow } from "../../src/page/model.ts";
import { ActionForm, useOrder } from "../parts/actions.tsx";
import { Ago, Prose, Trouble } from "../parts/text.tsx";
import { isReadOnly } from "../store.ts";
import { shown } from "../words.ts";
import type { DiffProps } from "./diff.tsx";
import { highlighted } from "./highlight.ts";
import { type DiffFile, type DiffLine, type Hunk, pairs } from "./parse.ts";

interface Props extends Omit<DiffProps, "diff"> {
  readonly file: DiffFile;
  readonly isSplit: boolean;
}

export function FileLines(props: Props) {
  const { file, isSplit } = props;
  const [open, setOpen] = useState<number | null>(null);
  if (file.hunks.length === 0) return null;
  const share = { ...props, open, setOpen };
  return (
    <div class="lines" tabIndex={0} role="region" aria-label={`Changes of ${file.path}`}>
      <table class={isSplit ? "split" : "inline"} onKeyDown={onKey}>
        <tbody>
          {file.hunks.map((hunk, at) => (
            <HunkRows key={at} hunk={hunk} {...share} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function onKey(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLButtonElement)) return;
  const buttons = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>("button.number")];
  const next = buttons[buttons.indexOf(event.target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

type Shared = Props & { readonly open: number | null; readonly setOpen: (line: number | null) => void };

function HunkRows({ hunk, ...share }: Shared & { readonly hunk: Hunk }) {
  const { isSplit } = share;
  return (
    <>
      <tr class="hunk">
        <td colSpan={isSplit ? 4 : 3}>{shown(hunk.head)}</td>
      </tr>
      {isSplit
        ? pairs(hunk.lines).map(({ before, after }, at) => (
            <Fragment key={at}>
              <tr>
                <td class="number num">{before?.before ?? ""}</td>
                <Code line={before} path={share.file.path} />
                <Numbered line={after} {...share} />
                <Code line={after} path={share.file.path} />
              </tr>
              <Below line={after?.after ?? null} {...share} />
            </Fragment>
          ))
        : hunk.lines.map((line, at) => (
            <Fragment key={at}>
              <tr>
                <td class="number num">{line.before ?? ""}</td>
                <Numbered line={line} {...share} />
                <Code line={line} path={share.file.path} />
              </tr>
              <Below line={line.after} {...share} />
            </Fragment>
          ))}
    </>
  );
}

function Numbered({ line, action, setOpen, open, file }: Shared & { readonly line: DiffLine | null }) {
  const number = line?.after ?? null;
  if (number === null || !action || isReadOnly.value) return <td class="number num">{number ?? ""}</td>;
  return (
    <td class="number num">
      <button
        type="button"
        class="number"
        tabIndex={number === firstOf(file) || number === open ? 0 : -1}
        aria-label={`Comment on line ${number} of ${file.path}`}
        aria-expanded={open === number}
        onClick={() => setOpen(open === number ? null : number)}
      >
        {number}
      </button>
    </td>
  );
}

/** The line that the Tab key comes to. */
const firstOf = ({ hunks }: DiffFile) => hunks[0]?.lines.find(({ after }) => after !== null)?.after ?? null;

const signs = { added: "+", removed: "−", same: " ", note: " " } as const;

function Code({ line, path }: { readonly line: DiffLine | null; readonly path: string }) {
  if (!line) return <td class="code nothing" />;
  const words =
    line.kind === "note" ? [{ kind: "comment", text: line.text } as const] : highlighted(line.text, path);
  return (
    <td class={`code ${line.kind}`}>
      <span class="sign">{signs[line.kind]}</span>
      {words.map(({ kind, text }, at) =>
        kind === "plain" ? (
          shown(text)
        ) : (
          <span key={at} class={`hl-${kind}`}>
            {shown(text)}
          </span>
        ),
      )}
    </td>
  );
}

/** Comments on a line, and the form for another one. */
function Below({ line, comments, open, ...share }: Shared & { readonly line: number | null }) {
  if (line === null) return null;
  const own = comments.filter((each) => each.line === line);
  if (own.length === 0 && open !== line) return null;
  return (
    <tr class="below">
      <td colSpan={share.isSplit ? 4 : 3}>
        {own.map((comment, at) => (
          <Comment key={at} comment={comment} />
        ))}
        {open === line && <NewComment line={line} comments={comments} open={open} {...share} />}
      </td>
    </tr>
  );
}

function Comment({ comment: { text, by, at } }: { readonly comment: CommentRow }) {
  return (
    <div class="comment">
      <p class="dim">
        {shown(by)} <Ago at={at} />
      </p>
      <Prose text={text} />
    </div>
  );
}

function NewComment({ line, file, action, about, setOpen }: Shared & { readonly line: number }) {
  const { busy, refusal, order } = useOrder({ ...about, at: { path: file.path, line } });
  const place = useRef<HTMLDivElement>(null);
  if (!action) return null;
  const close = () => {
    const opener = place.current?.closest("table")?.querySelector<HTMLElement>("[aria-expanded=true]");
    setOpen(null);
    opener?.focus({ preventScroll: true });
  };
  return (
    <div ref={place}>
      <ActionForm
        action={action}
        busy={busy}
        onCancel={close}
        onSend={async (more) => {
          if (await order(action, more)) close();
        }}
      />
      {refusal && <Trouble {...refusal} />}
    </div>
  );
}
