// Addresses of journals in Postgres, and where their passwords come from: what a person types, and what is said when it is wrong.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withSetting } from "../../src/config/config.ts";
import { StoreFailure } from "../../src/journal/journal.ts";
import { type Address, addressIn, addressWith, placeOf } from "../../src/journal/postgres/address.ts";
import { isAway, serverFailure } from "../../src/journal/postgres/failure.ts";
import { passwordFor, passwordIn } from "../../src/journal/postgres/password.ts";

const address = (text: string, project?: string) => addressIn(text, project) as Address;

it("U5 reads an address as psql does", () => {
  expect(address("postgres://me@db.example.org/shop?project=p")).toMatchObject({
    ...{
      host: "db.example.org",
      port: 5432,
      user: "me",
      database: "shop",
      project: "p",
      encryption: "prefer",
    },
  });
  expect(
    address("postgresql://m%40e@db:6000/shop?project=p&sslmode=verify-full&sslrootcert=/ca"),
  ).toMatchObject({
    ...{ user: "m@e", port: 6000, encryption: "verify-full", rootCertificate: "/ca" },
  });
  const socket = address("postgres://me@/shop?host=/run/postgresql&project=p");
  expect([socket.host, placeOf(socket)]).toEqual([
    "/run/postgresql",
    "/run/postgresql/.s.PGSQL.5432, database `shop`",
  ]);
});

it("U5 names the project in the line of the configuration, whether it was typed or taken from the folder", () => {
  expect(addressWith(address("postgres://me@db/shop", "app"))).toBe("postgres://me@db/shop?project=app");
  expect(addressWith(address("postgres://me@db/shop?sslmode=require", "app"))).toBe(
    "postgres://me@db/shop?sslmode=require&project=app",
  );
  expect(addressWith(address("postgres://me@db/shop?project=own", "app"))).toBe(
    "postgres://me@db/shop?project=own",
  );
});

it.each([
  ["postgres://me:secret@db/shop?project=p", "password"],
  ["postgres://me@db/shop?project=p&password=secret", "password"],
  ["postgres://me@db/shop", "names no project"],
  ["postgres://me@db/shop?project=a b", "cannot be a project's name"],
  ["postgres://me@db/shop?projet=p", "not a setting"],
  ["postgres://me@db/shop?project=p&sslmode=always", "no sslmode"],
  ["postgres://db/shop?project=p", "names no user"],
  ["postgres://me@db/?project=p", "names no database"],
  ["mysql://me@db/shop?project=p", "not an address of Postgres"],
  ["postgres://me:secret@[/shop", "not an address of Postgres"],
])("U5 refuses %s with a sentence and a way out, and prints no password", (text, words) => {
  const found = addressIn(text);
  if (!("code" in found)) throw new Error("it was taken");
  expect(found.message).toContain(words);
  expect(found.hint).toBeTruthy();
  expect(JSON.stringify(found)).not.toContain("secret");
});

it("U5 takes the password from the variable that is named, or from PGPASSWORD", () => {
  const plain = address("postgres://me@db/shop?project=p&passfile=/none");
  expect(passwordFor(plain, { PGPASSWORD: "one" })).toBe("one");
  const named = address("postgres://me@db/shop?project=p&passfile=/none&password_env=SHOP");
  expect(passwordFor(named, { PGPASSWORD: "one", SHOP: "two" })).toBe("two");
  expect(() => passwordFor(named, { PGPASSWORD: "one" })).toThrow(StoreFailure);
});

it("U5 takes the password from a file that only its owner can read", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-pass-"));
  const file = join(folder, "pass");
  try {
    writeFileSync(file, "# mine\nother:5432:*:*:no\n*:5432:shop:me:a\\:b\\\\c\n");
    const found = address(`postgres://me@db/shop?project=p&passfile=${file}`);
    chmodSync(file, 0o600);
    expect(passwordFor(found, {})).toBe("a:b\\c");
    chmodSync(file, 0o644);
    expect(() => passwordFor(found, {})).toThrow("others can read");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("U5 finds the line of a password file that fits, the first one", () => {
  const of = { ...address("postgres://me@db/shop?project=p"), text: "" };
  expect(passwordIn("db:5432:shop:you:1\ndb:5433:shop:me:2\ndb:5432:other:me:3", of)).toBeUndefined();
  expect(passwordIn("db:5432:shop:me:\ndb:5432:shop:me:4", of)).toBe("");
  expect(passwordIn("*:*:*:*:5\ndb:5432:shop:me:6", of)).toBe("5");
  const socket = address("postgres://me@/shop?host=/run&project=p");
  expect(passwordIn("localhost:5432:shop:me:7", socket)).toBe("7");
});

it.each([
  ["ECONNREFUSED", "server-away"],
  ["57P03", "server-away"],
  ["28P01", "wrong-password"],
  ["3D000", "no-database"],
  ["42501", "unwritable"],
  ["25006", "read-only"],
  ["53100", "full"],
  ["XX001", "corrupt"],
  ["42P01", "no-project"],
  ["22P02", "server"],
])("U5 says what %s of the server means, and what to type", (code, expected) => {
  const error = Object.assign(new Error("as the server says it"), { code });
  const found = serverFailure(error, address("postgres://me@db/shop?project=p"));
  if (!(found instanceof StoreFailure)) throw new Error("it is no sentence");
  expect(found.problem.code).toBe(expected);
  expect(found.problem.hint).toBeTruthy();
  expect(isAway(error)).toBe(expected === "server-away");
});

it("U5 leaves errors that are bugs of ours alone", () => {
  const error = new TypeError("undefined is not a function");
  expect(serverFailure(error, address("postgres://me@db/shop?project=p"))).toBe(error);
});

it("U5 changes one line of a configuration and leaves comments where they are", () => {
  const text = '{\n  // who works\n  "agent": "claude"\n}\n';
  const there = withSetting(text, "journal", "postgres://x");
  expect(there).toBe('{\n  // who works\n  "agent": "claude",\n  "journal": "postgres://x"\n}\n');
  expect(withSetting(there, "journal", undefined)).toBe(text);
  expect(withSetting("{}\n", "journal", "x")).toContain('"journal": "x"');
});
