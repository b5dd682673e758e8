// The address of a journal in Postgres, as a configuration names it: `postgres://user@host:5432/database?project=name`. Pure.
// No password stands in it: a configuration is copied and committed.
import { closest, type Problem, problem } from "../../core/problem.ts";

const encryptions = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;

export interface Address {
  /** As it was written. */
  readonly text: string;
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Several projects share a database. */
  readonly project: string;
  readonly encryption: (typeof encryptions)[number];
  readonly rootCertificate?: string | undefined;
  /** The variable that has the password; `PGPASSWORD` otherwise. */
  readonly passwordVariable?: string | undefined;
  /** A file in the format of `.pgpass`. */
  readonly passfile?: string | undefined;
}

const known = ["project", "host", "sslmode", "sslrootcert", "password_env", "passfile"] as const;
type Parameter = (typeof known)[number];

const usual = "postgres://<user>@<host>:5432/<database>?project=<name>";

export const isServerAddress = (text: string) => /^postgres(?:ql)?:\/\//i.test(text);

const bad = (message: string, hint: string) => problem("bad-journal", message, { hint });

/** `project`: the name where the address has none; without either that is a problem. */
export function addressIn(text: string, project?: string): Address | Problem {
  const url = urlIn(text);
  if (url === undefined) return bad(`\`${withoutPassword(text)}\` is not an address of Postgres`, usual);
  if (url.password !== "" || url.searchParams.has("password"))
    return bad(
      "the address of the journal has a password in it: a configuration is copied and committed",
      `take it out, and set PGPASSWORD or add a line to ~/.pgpass: ${url.hostname || "localhost"}:${url.port || 5432}:<database>:${url.username || "<user>"}:<password>`,
    );
  const given = new Map([...url.searchParams].map(([key, value]) => [key, value]));
  for (const key of given.keys())
    if (!known.some((each) => each === key)) {
      const meant = closest(key, known);
      return bad(
        `\`${key}\` is not a setting of the journal's address`,
        meant ? `did you mean \`${meant}\`?` : `known are ${known.join(", ")}`,
      );
    }
  const one = (key: Parameter) => given.get(key) || undefined;
  const name = one("project") ?? project;
  if (name === undefined)
    return bad(
      "the address of the journal names no project: several share a database",
      `add a name of your choice: ${text}${text.includes("?") ? "&" : "?"}project=<name>`,
    );
  if (!/^[A-Za-z0-9][\w.-]{0,62}$/.test(name))
    return bad(`\`${name}\` cannot be a project's name`, "letters, digits, `.`, `_` and `-`, at most 63");
  const host = one("host") ?? decodeURIComponent(url.hostname);
  const user = decodeURIComponent(url.username);
  const database = decodeURIComponent(url.pathname.replace(/^\//, ""));
  if (host === "" || user === "" || database === "" || database.includes("/"))
    return bad(`\`${text}\` names no ${host === "" ? "host" : user === "" ? "user" : "database"}`, usual);
  const encryption = encryptions.find((each) => each === (one("sslmode") ?? "prefer"));
  if (!encryption) return bad(`\`${one("sslmode")}\` is no sslmode`, `one of ${encryptions.join(", ")}`);
  return {
    ...{ text, host, port: Number(url.port || 5432), user, database, project: name, encryption },
    ...{
      rootCertificate: one("sslrootcert"),
      passwordVariable: one("password_env"),
      passfile: one("passfile"),
    },
  };
}

/** With the project in it: what stands in a configuration. */
export function addressWith({ text, project }: Address): string {
  if (/[?&]project=/.test(text)) return text;
  return `${text}${text.includes("?") ? "&" : "?"}project=${project}`;
}

/** For sentences: where it is, and nothing else. */
export function placeOf({ host, port, database }: Pick<Address, "host" | "port" | "database">): string {
  return host.startsWith("/")
    ? `${host}/.s.PGSQL.${port}, database \`${database}\``
    : `${host}:${port}/${database}`;
}

/** libpq allows no host before the path, where a parameter names it; the standard of addresses does not. */
function urlIn(text: string): URL | undefined {
  if (!isServerAddress(text)) return undefined;
  try {
    return new URL(text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/i, "$1localhost"));
  } catch {
    return undefined;
  }
}

const withoutPassword = (text: string) => text.replace(/(:\/\/[^:/@]{0,200}):[^@]{0,1000}@/, "$1:…@");
