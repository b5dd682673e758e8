// The password of a journal's server: from the environment, or from a file that only its owner can read. It is asked for when the
// server wants one, and kept nowhere.
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { problem } from "../../core/problem.ts";
import { StoreFailure } from "../journal.ts";
import { type Address, placeOf } from "./address.ts";

export function passwordFor(address: Address, environment: NodeJS.ProcessEnv): string {
  const variable = address.passwordVariable ?? "PGPASSWORD";
  const said = environment[variable];
  if (said) return said;
  const file = address.passfile ?? environment.PGPASSFILE ?? join(homedir(), ".pgpass");
  const found = inFile(file.replace(/^~(?=\/)/, homedir()), address);
  if (found !== undefined) return found;
  throw new StoreFailure(
    problem(
      "no-password",
      `the server of the journal wants a password for \`${address.user}\`: ${placeOf(address)}`,
      {
        hint: `export ${variable}=<password>, or: echo '${lineFor(address)}' >> ${file}; chmod 600 ${file}`,
      },
    ),
  );
}

const lineFor = ({ host, port, database, user }: Address) => `${host}:${port}:${database}:${user}:<password>`;

function inFile(file: string, address: Address): string | undefined {
  const about = statSync(file, { throwIfNoEntry: false });
  if (!about?.isFile()) return undefined;
  if ((about.mode & 0o077) !== 0)
    throw new StoreFailure(
      problem("open-passfile", `others can read the passwords in ${file}`, { hint: `chmod 600 ${file}` }),
    );
  return passwordIn(readFileSync(file, "utf8"), address);
}

/** The first line that fits, as libpq reads it: `host:port:database:user:password`, `*` for any, `\` before `:` and `\`. */
export function passwordIn(
  text: string,
  { host, port, database, user }: Omit<Address, "text">,
): string | undefined {
  // A Unix socket is found under "localhost" as well.
  const wanted = [host.startsWith("/") ? [host, "localhost"] : [host], [String(port)], [database], [user]];
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) continue;
    const fields = line
      .match(/(?:\\.|[^:\\])+|(?<=:)(?=:)|(?<=:)$/g)
      ?.map((each) => each.replace(/\\(.)/g, "$1"));
    if (fields?.length !== 5) continue;
    if (wanted.every((names, at) => fields[at] === "*" || names.includes(fields[at] ?? ""))) return fields[4];
  }
  return undefined;
}
