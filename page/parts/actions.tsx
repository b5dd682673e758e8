// What can be done here, as buttons. One that needs words, or is grave, first opens a form: nothing grave happens by one
// press. What stands in the way is said in place.
import { useId, useRef, useState } from "preact/hooks";
import type { Action, Order } from "../../src/page/model.ts";
import { isReadOnly, send } from "../store.ts";
import { shown } from "../words.ts";
import { Command, Trouble } from "./text.tsx";

export interface About {
  readonly run: string;
  readonly task?: string | null;
  readonly id?: string;
  readonly at?: Order["at"];
  /** The position that is on the screen. */
  readonly seen: number;
}

interface Words {
  readonly words?: string;
  readonly reason?: string;
  readonly amountUsd?: number;
}

interface Refusal {
  readonly problem: string;
  readonly hint: string | null;
}

/**
 * Sends one order after the other, never one twice at a time. A button is not disabled meanwhile: it would lose the focus, and a
 * keyboard its place.
 */
export function useOrder({ run, task, id, at, seen }: About) {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const under = useRef(false);
  const order = async (action: Pick<Action, "do" | "task" | "to">, more: Words = {}) => {
    if (under.current) return false;
    under.current = true;
    setBusy(true);
    const reply = await send(run, {
      do: action.do,
      ...((action.task ?? task) && { task: action.task ?? task ?? "" }),
      ...(action.to !== undefined && { to: action.to }),
      ...(id && { id }),
      ...(at && { at }),
      ...(more.words && { words: more.words }),
      ...(more.reason && { reason: more.reason }),
      ...(more.amountUsd !== undefined && { amountUsd: more.amountUsd }),
      seen,
    });
    under.current = false;
    setBusy(false);
    setRefusal(reply.ok ? null : reply);
    return reply.ok;
  };
  return { busy, refusal, order };
}

/** A form that was asked for has the focus; of a grave one without words, the way out has it. */
const takeFocus = (element: HTMLElement | null) => element?.focus();

const isAsked = ({ do: what, words, grave }: Action) => words !== "none" || grave || what === "raise-budget";

interface ActionsProps {
  readonly actions: readonly Action[];
  readonly about: About;
  /** None of them stands out: nobody came here to do them. */
  readonly isQuiet?: boolean;
}

export function Actions({ actions, about, isQuiet = false }: ActionsProps) {
  const [open, setOpen] = useState<string | null>(null);
  const { busy, refusal, order } = useOrder(about);
  const row = useRef<HTMLDivElement>(null);
  if (actions.length === 0 || isReadOnly.value) return null;
  const chosen = actions.find(({ do: what, label }) => `${what} ${label}` === open);
  /** The focus goes back to where the form was opened from, or to what follows if that is gone. */
  const close = () => {
    const opener = row.current?.querySelector<HTMLElement>("[aria-expanded=true]");
    setOpen(null);
    (opener ?? document.querySelector<HTMLElement>("main"))?.focus({ preventScroll: true });
  };
  return (
    <div class="actions">
      <div class="buttons" ref={row}>
        {actions.map((action, at) => (
          <button
            key={`${action.do} ${action.label}`}
            type="button"
            class={`${action.grave ? "grave" : at === 0 && !isQuiet ? "first" : ""}`}
            aria-disabled={busy}
            aria-expanded={isAsked(action) ? chosen === action : undefined}
            onClick={() => {
              const name = `${action.do} ${action.label}`;
              if (isAsked(action)) setOpen(open === name ? null : name);
              else void order(action);
            }}
          >
            {shown(action.label)}
            {isAsked(action) ? "…" : ""}
          </button>
        ))}
      </div>
      {refusal && <Trouble {...refusal} />}
      {chosen && (
        <ActionForm
          key={open ?? ""}
          action={chosen}
          busy={busy}
          onCancel={close}
          onSend={async (more) => {
            if (await order(chosen, more)) close();
          }}
        />
      )}
    </div>
  );
}

interface FormProps {
  readonly action: Action;
  readonly busy: boolean;
  readonly onCancel: () => void;
  readonly onSend: (more: Words) => void;
}

export function ActionForm({ action, busy, onCancel, onSend }: FormProps) {
  const [words, setWords] = useState(action.text ?? "");
  const [reason, setReason] = useState("");
  const [amount, setAmount] = useState(String(action.amountUsd ?? ""));
  const id = useId();
  const needsAmount = action.do === "raise-budget";
  const lacks =
    (action.words === "required" && words.trim() === "") || (needsAmount && !(Number(amount) > 0));
  const submit = (event: Event) => {
    event.preventDefault();
    if (lacks || busy) return;
    onSend({ words: words.trim(), reason: reason.trim(), ...(needsAmount && { amountUsd: Number(amount) }) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onCancel();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return (
    <form class="ask" onSubmit={submit} onKeyDown={onKeyDown}>
      {action.grave && <p class="warn">This throws work away or overrides a check. Confirm it below.</p>}
      {needsAmount && <AmountField id={`${id}a`} value={amount} onValue={setAmount} />}
      {action.words !== "none" && (
        <label for={id}>
          {shown(action.asks ?? "In your words")}
          {action.words === "optional" ? " (optional)" : ""}
          <textarea
            id={id}
            rows={action.text === undefined ? 3 : 18}
            class={action.text === undefined ? "" : "document"}
            spellcheck={action.text === undefined}
            value={words}
            ref={needsAmount ? null : takeFocus}
            required={action.words === "required"}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </label>
      )}
      {action.text !== undefined && <ReasonField id={`${id}r`} value={reason} onValue={setReason} />}
      <div class="buttons">
        <button
          type="submit"
          class={action.grave ? "grave filled" : "first"}
          disabled={lacks}
          aria-disabled={busy}
        >
          {action.grave ? `Yes: ${shown(action.label)}` : shown(action.label)}
        </button>
        <button
          type="button"
          onClick={onCancel}
          ref={action.words === "none" && !needsAmount ? takeFocus : null}
        >
          Cancel
        </button>
        {action.command && <Command text={action.command} />}
      </div>
    </form>
  );
}

interface FieldProps {
  readonly id: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function AmountField({ id, value, onValue }: FieldProps) {
  return (
    <label for={id}>
      New budget in USD
      <input
        id={id}
        class="amount"
        inputMode="decimal"
        value={value}
        required
        ref={takeFocus}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  );
}

/** Beside a document, which says what and not why. */
function ReasonField({ id, value, onValue }: FieldProps) {
  return (
    <label for={id}>
      Why (optional)
      <input id={id} value={value} onInput={(event) => onValue(event.currentTarget.value)} />
    </label>
  );
}
