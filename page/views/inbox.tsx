// What needs a person, oldest first, answered in place. Every question takes an answer in free words.
import { useId, useState } from "preact/hooks";
import type { InboxItem } from "../../src/page/model.ts";
import { Actions, useOrder } from "../parts/actions.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Ago, Command, Empty, Prose, Trouble } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import { inboxNow, isReadOnly, project } from "../store.ts";
import { counted, kindWord, shown } from "../words.ts";

const icons: Readonly<Record<InboxItem["kind"], IconName>> = {
  question: "question",
  approval: "claimed",
  halt: "halted",
  budget: "clock",
  agent: "failed",
  view: "flag",
};

export function InboxView() {
  const items = inboxNow.value;
  const seen = (run: string) => project.value?.runs.find(({ id }) => id === run)?.position ?? 0;
  return (
    <div class="page narrow">
      <h1>Inbox</h1>
      {project.value === null ? (
        <p class="loading dim" role="status">
          Loading…
        </p>
      ) : items.length === 0 ? (
        <Empty>Nothing needs you. Questions, approvals, halts and budgets appear here.</Empty>
      ) : (
        <p class="dim">{counted(items.length, "thing")} waiting, the oldest first</p>
      )}
      <InboxList items={items} seen={seen} />
    </div>
  );
}

interface ListProps {
  readonly items: readonly InboxItem[];
  readonly seen: (run: string) => number;
  readonly inRun?: boolean;
}

export function InboxList({ items, seen, inRun = false }: ListProps) {
  if (items.length === 0) return null;
  return (
    <ul class="inbox" aria-label="What needs you">
      {items.map((item) => (
        <li key={`${item.run} ${item.id}`}>
          <Item item={item} seen={seen(item.run)} inRun={inRun} />
        </li>
      ))}
    </ul>
  );
}

function Item({ item, seen, inRun }: { item: InboxItem; seen: number; inRun: boolean }) {
  const Title = inRun ? "h3" : "h2";
  const about = { run: item.run, task: item.task, id: item.id, seen };
  const isAnswered = item.actions.some(({ do: what }) => what === "answer");
  const others = item.actions.filter(({ do: what }) => what !== "answer");
  const command = item.actions.find((each) => each.command !== undefined)?.command;
  return (
    <article class={`card item item-${item.kind}`}>
      <header>
        <span class={`mark item-${item.kind}`}>
          <Icon name={icons[item.kind]} />
          {kindWord[item.kind]}
        </span>
        <span class="dim">
          {!inRun && (
            <a href={hrefOf({ at: "run", run: item.run, view: "overview", query: {} })}>{shown(item.run)}</a>
          )}
          {item.task !== null && (
            <>
              {inRun ? "" : " · "}
              <a href={hrefOf({ at: "task", run: item.run, task: item.task, query: {} })}>
                {shown(item.task)}
              </a>
            </>
          )}
        </span>
        <span class="dim end">
          <Ago at={item.since} />
        </span>
      </header>
      <Title>{shown(item.title)}</Title>
      {!item.title.endsWith(item.text) && <Prose text={item.text} />}
      {isAnswered && !isReadOnly.value && <Answer item={item} seen={seen} />}
      <Actions actions={others} about={about} />
      {command && (
        <p class="dim or">
          In the terminal: <Command text={command} />
        </p>
      )}
    </article>
  );
}

function Answer({ item, seen }: { readonly item: InboxItem; readonly seen: number }) {
  const [words, setWords] = useState("");
  const { busy, refusal, order } = useOrder({ run: item.run, task: item.task, id: item.id, seen });
  const id = useId();
  const action = item.actions.find(({ do: what }) => what === "answer") ?? { do: "answer" as const };
  const answer = (text: string) => void order(action, { words: text });
  return (
    <div class="answer">
      {item.options.length > 0 && (
        <div class="buttons" role="group" aria-label="Answers that were thought of">
          {item.options.map((option) => (
            <button type="button" key={option} aria-disabled={busy} onClick={() => answer(option)}>
              {shown(option)}
            </button>
          ))}
        </div>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (words.trim() !== "") answer(words.trim());
        }}
      >
        <label for={id}>{item.options.length > 0 ? "Or in your own words" : "Your answer"}</label>
        <div class="with-button">
          <textarea
            id={id}
            rows={item.options.length > 0 ? 1 : 2}
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) answer(words.trim());
            }}
          />
          <button type="submit" class="first" disabled={words.trim() === ""} aria-disabled={busy}>
            Answer
          </button>
        </div>
      </form>
      {refusal && <Trouble {...refusal} />}
    </div>
  );
}
