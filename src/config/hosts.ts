// The room of the configuration: `.heddle/config.json` and what it refers to, read and checked. It reads these files and
// nothing else; it writes none and starts nothing.
//
// `hosts` in `.heddle/config.json`: machines that work on tasks over ssh. What stands here ends up on ssh's command line, so
// it is names and plain paths: nothing that ssh would take for an option, or a shell for more than a word.
import * as z from "zod";
import { toCall } from "../core/hint.ts";
import { isRemote } from "../core/machines/remote.ts";
import { type Problem, problem } from "../core/problem.ts";
import { type JsonDocument, placeOf } from "../protocols/document.ts";

/** A name of ssh's, never an option of it, and nothing that a shell would read. */
const sshName = z
  .string()
  .regex(
    /^(?!-)[A-Za-z0-9._-]+(?:@(?!-)[A-Za-z0-9._:-]+)?$/,
    "must be a host name, user@host, or a name of your ssh configuration",
  );
export const label = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]*$/, "must be a word of letters, digits, dots and dashes");
const slots = z.int().min(0).max(256);

export const hostSchema = z.strictObject({
  ssh: sshName
    .optional()
    .describe("where it is, as you would type after `ssh`; it is the host's name in every view, too"),
  here: z.literal(true).optional().describe("this machine, in place of `ssh`: how much it does itself"),
  slots: slots.optional().describe("attempts at once; 2, and for this machine `parallel`"),
  labels: z.array(label).optional().describe("what it has that tasks may ask for by their tags"),
  heddle: z
    .string()
    .regex(/^(?!-)[\w./~+-]+$/, "must be a plain path")
    .optional()
    .describe("heddle there; `heddle`, from the PATH of a plain ssh command, unless said otherwise"),
  folder: z
    .string()
    .regex(/^\/[^\0]*$/, "must be an absolute path")
    .optional()
    .describe("where it works there; in the account's state folder unless said otherwise"),
});

export const workersSchema = z.strictObject({
  remote: z
    .string()
    .refine(isRemote, "must be a folder, or an address of ssh or https without a password")
    .describe(
      "a git remote that this machine and every worker reach: /srv/git/shop.git, git@host:shop.git, https://…",
    ),
});

export type WorkersConfig = z.infer<typeof workersSchema>;
export type HostConfig = z.infer<typeof hostSchema>;

/** Workers take their orders from the database of the journal. */
export function workersWithout(
  document: JsonDocument,
  {
    workers,
    journal,
  }: { readonly workers?: WorkersConfig | undefined; readonly journal?: string | undefined },
): Problem[] {
  if (!workers || /^postgres(?:ql)?:/i.test(journal ?? "")) return [];
  const what = "`workers` take their orders from Postgres, and the journal is not there";
  return [
    problem("workers-without-postgres", what, {
      place: placeOf(document, "/workers"),
      hint: toCall("journal move --to postgres://<user>@<host>:5432/<database>"),
    }),
  ];
}

/** Each is this machine or another, and named once. */
export function unclearHosts(document: JsonDocument, all: readonly HostConfig[] = []): Problem[] {
  return all.flatMap((host, at) => {
    const found = whatIsUnclear(host, all.slice(0, at));
    if (found === undefined) return [];
    return [
      problem("unclear-host", found.what, { place: placeOf(document, `/hosts/${at}`), hint: found.hint }),
    ];
  });
}

function whatIsUnclear(
  host: HostConfig,
  before: readonly HostConfig[],
): { readonly what: string; readonly hint: string } | undefined {
  const { ssh, here, heddle, folder } = host;
  if ((ssh === undefined) === (here === undefined))
    return { what: "a host is either `ssh` or `here`", hint: '"ssh": "build-2", or "here": true' };
  if (here && (heddle !== undefined || folder !== undefined))
    return { what: "`heddle` and `folder` are settings of another machine", hint: "take them out" };
  if (!before.some((each) => each.ssh === ssh && each.here === here)) return undefined;
  return {
    what: `${ssh === undefined ? "this machine" : `\`${ssh}\``} is named twice`,
    hint: "take one out",
  };
}
