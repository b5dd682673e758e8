// What Tab offers, from the command objects and from what the project knows now: commands, flags, choices, task ids,
// question ids, a question's options, phases, files.
import type { Arg, Command, Flag } from "../../command/command.ts";
import { commonFlags } from "../../command/parse.ts";
import { isCommand, otherNames, type Word, wordsOf } from "./words.ts";

export interface Offer {
  readonly word: string;
  readonly about?: string;
}

export interface Completion {
  /** Where the word that is completed begins. */
  readonly from: number;
  readonly offers: readonly Offer[];
}

/** What is looked up at the moment of asking. */
export interface Known {
  readonly commands: readonly Command[];
  readonly tasks: (prefix: string) => Promise<readonly Offer[]>;
  readonly questions: () => readonly Question[];
  /** The options of what is being asked. */
  readonly options: () => readonly string[];
  readonly phases: () => readonly string[];
  readonly files: (prefix: string) => readonly string[];
}

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
}

export async function complete(before: string, known: Known): Promise<Completion> {
  if (before !== "" && !isCommand(before))
    return { from: 0, offers: begun(known.options().map(plain), before) };
  if (before === "" && known.options().length > 0) return { from: 0, offers: known.options().map(plain) };
  const words = wordsOf(before);
  const isNew = before === "" || /\s$/.test(before);
  const last: Word = isNew ? { text: "", from: before.length } : (words.pop() ?? { text: "", from: 0 });
  const said = words.map(({ text }) => text.replace(/^\//, "")).filter((text) => text !== "heddle");
  const offers = await offersFor({ said, last, known, isFirst: last.from === 0 });
  return { from: last.from, offers };
}

interface Asking {
  readonly said: readonly string[];
  readonly last: Word;
  readonly known: Known;
  readonly isFirst: boolean;
}

async function offersFor({ said, last, known, isFirst }: Asking): Promise<readonly Offer[]> {
  const { commands } = known;
  const slash = isFirst ? "/" : "";
  const prefix = last.text.replace(/^\//, "");
  if (said.length === 0) return begun(firstWords(commands), prefix).map(named(slash));
  const second = commands.filter(({ name }) => name.startsWith(`${said[0]} `));
  if (said.length === 1 && second.length > 0)
    return begun(
      second.map(({ name, summary }) => ({ word: name.split(" ")[1] ?? "", about: summary })),
      prefix,
    );
  const found = commandOf(commands, said);
  return found ? withinCommand(found.command, { rest: found.rest, last, known }) : [];
}

const named =
  (slash: string) =>
  ({ word, ...rest }: Offer): Offer => ({ word: `${slash}${word}`, ...rest });

/** Those for people first: the others are for hosts and scripts. */
function firstWords(commands: readonly Command[]): Offer[] {
  const own = otherNames.map((word) => ({ word, about: ownAbout[word] ?? "" }));
  const all = [...commands]
    .sort((a, b) => Number(a.group === "state") - Number(b.group === "state"))
    .map(({ name, summary }) => {
      const [word = "", second] = name.split(" ");
      return { word, about: second === undefined ? summary : `${word} …` };
    });
  const unique = new Map([...all, ...own].map((offer) => [offer.word, offer]));
  return [...unique.values()];
}

const ownAbout: Readonly<Record<string, string>> = {
  override: "go on although the rules say no: /override REASON [--to PHASE]",
  quit: "leave; what runs is halted first",
};

function commandOf(commands: readonly Command[], said: readonly string[]) {
  const words = said[0] === "override" ? ["next", "--override", ...said.slice(1)] : said;
  for (const length of [2, 1]) {
    const command = commands.find(({ name }) => name === words.slice(0, length).join(" "));
    if (command) return { command, rest: words.slice(length) };
  }
  return undefined;
}

interface Within {
  readonly rest: readonly string[];
  readonly last: Word;
  readonly known: Known;
}

async function withinCommand(command: Command, { rest, last, known }: Within): Promise<readonly Offer[]> {
  const flags: Readonly<Record<string, Flag>> = { ...command.flags, ...commonFlags };
  const before = rest.at(-1) ?? "";
  const flag = before.startsWith("--") ? flags[before.slice(2)] : undefined;
  if (flag?.takes !== undefined) return valuesOf({ ...flag, name: flag.takes }, last.text, known);
  if (last.text.startsWith("-"))
    return begun(
      Object.entries(flags).map(([name, { about }]) => ({ word: `--${name}`, about })),
      last.text,
    );
  const at = rest.filter((word, i) => !word.startsWith("--") && !takesValue(rest[i - 1], flags)).length;
  if (command.name === "help") return begun(firstWords(known.commands), last.text);
  const options = command.name === "answer" && at > 0 ? optionsOf(rest[0], known) : [];
  if (options.length > 0) return begun(options.map(plain), last.text);
  const arg = command.args?.[at] ?? (command.args?.at(-1)?.many ? command.args.at(-1) : undefined);
  return arg ? valuesOf(arg, last.text, known) : [];
}

const takesValue = (word: string | undefined, flags: Readonly<Record<string, Flag>>) =>
  word?.startsWith("--") === true && flags[word.slice(2)]?.takes !== undefined;

const optionsOf = (id: string | undefined, known: Known) =>
  known.questions().find((question) => question.id === id)?.options ?? [];

async function valuesOf(
  { name, about, choices }: Pick<Arg, "name" | "about" | "choices">,
  prefix: string,
  known: Known,
): Promise<readonly Offer[]> {
  if (choices) return begun(choices.map(plain), prefix);
  const kind = name.toLowerCase();
  if (kind === "question") return begun(known.questions().map(asOffer), prefix);
  if (kind === "phase") return begun(known.phases().map(plain), prefix);
  if (["file", "dir", "spec", "target"].includes(kind)) return known.files(prefix).map(plain);
  return /\btask\b/.test(about) && /^(?:task|id)$/.test(kind) ? known.tasks(prefix) : [];
}

const asOffer = ({ id, text }: Question): Offer => ({ word: id, about: text });
const plain = (word: string): Offer => ({ word });
const begun = (offers: readonly Offer[], prefix: string) =>
  offers.filter(({ word }) => word.toLowerCase().startsWith(prefix.toLowerCase()));

/** What all of them begin with. */
export function commonStart(offers: readonly Offer[]): string {
  const [first = "", ...rest] = offers.map(({ word }) => word);
  let length = first.length;
  for (const word of rest) while (!word.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}
