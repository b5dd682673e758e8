// Postgres's errors as sentences, and which of them mean that the connection is gone: then it is made again, and what was asked is
// asked again.
import { toCall } from "../../core/hint.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { StoreFailure } from "../journal.ts";
import { type Address, placeOf } from "./address.ts";

export interface ServerError extends Error {
  /** SQLSTATE, or Node's own. */
  readonly code?: string;
}

const gone = [
  ...[
    "ECONNREFUSED",
    "ECONNRESET",
    "EPIPE",
    "ENOENT",
    "ETIMEDOUT",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "EHOSTDOWN",
  ],
  ...["ENETDOWN", "EAI_AGAIN", "ENOTFOUND", "ECONNABORTED", "lost"],
];

/** The server ends sessions, starts, or stops; or there are too many of them for the moment. */
const passing = ["57P01", "57P02", "57P03", "57P05", "53300"];

/** Whether it may well be there again soon. */
export function isAway(error: unknown): boolean {
  const { code = "" } = error as ServerError;
  return gone.includes(code) || passing.includes(code) || code.startsWith("08");
}

export function serverFailure(error: unknown, address: Address): unknown {
  if (error instanceof StoreFailure) return error;
  const described = describe(error as ServerError, address);
  return described ? new StoreFailure(described) : error;
}

/** Said once, while an orchestrator waits. */
export function waiting(error: unknown, address: Address): Problem {
  const what = `the journal's server does not answer (${why(error as ServerError)}): ${placeOf(address)}`;
  return problem("server-away", `${what}; waiting until it is back, nothing is lost`, {
    hint: ready(address),
  });
}

const why = ({ code = "", message }: ServerError) =>
  (
    ({ ECONNREFUSED: "connection refused", ENOENT: "no such socket", lost: message }) as Record<
      string,
      string
    >
  )[code] ??
  (message || code);

const ready = ({ host, port }: Address) => `pg_isready -h ${host} -p ${port}`;

const psql = ({ host, port, user }: Address, database: string) =>
  `psql -h ${host} -p ${port} -U ${user} -d ${database}`;

function describe(error: ServerError, address: Address): Problem | undefined {
  const { user, database, host, port } = address;
  const { code = "", message } = error;
  const at = placeOf(address);
  if (isAway(error))
    return problem("server-away", `the journal's server does not answer (${why(error)}): ${at}`, {
      hint: `${ready(address)} says whether it is there; then run the command again: nothing was changed`,
    });
  switch (code) {
    case "28P01":
    case "28000":
      return problem("wrong-password", `the journal's server refuses \`${user}\`: ${message}`, {
        hint: `set PGPASSWORD or ~/.pgpass; ${psql(address, database)} tries it`,
      });
    case "3D000":
      return problem("no-database", `the journal's server has no database \`${database}\`: ${at}`, {
        hint: `createdb -h ${host} -p ${port} -U ${user} ${database}`,
      });
    case "42501":
      return problem("unwritable", `\`${user}\` may not use the journal in ${at}: ${message}`, {
        hint: `psql -h ${host} -p ${port} -d ${database} -c 'grant create on database "${database}" to "${user}"'`,
      });
    case "25006":
      return problem("read-only", `the journal's server only reads, as a standby does: ${at}`, {
        hint: "name the primary server in .heddle/config.json",
      });
    case "53100":
      return problem("full", `the disk of the journal's server is full: nothing was changed in ${at}`, {
        hint: "free some space there, then run the command again",
      });
    case "XX001":
    case "XX002":
      return problem("corrupt", `the journal is damaged: ${at} (${message})`, {
        hint: [toCall("restore <backup>"), "; pg_amcheck finds what is damaged"],
      });
    case "42P01":
    case "3F000":
    case "42883":
      return problem("no-project", `there is no journal in ${at}`, { hint: toCall("init <target>") });
    default:
      return certificate.test(`${code} ${message}`)
        ? problem("bad-certificate", `the certificate of the journal's server does not hold: ${message}`, {
            hint: "sslrootcert=<file> in the address names who signed it",
          })
        : /^[0-9A-Z]{5}$/.test(code)
          ? problem("server", `the journal's server failed: ${message} (${code}, ${at})`, {
              hint: `its log says why; then run the command again: nothing was changed`,
            })
          : undefined;
  }
}

const certificate = /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_VERIFY/;
