// Files of a run beside its log in Postgres, for the machines that take it over. Of every name the newest body is kept; of older ones
// it is known only that they were there.
import type { SharedFile, SharedFiles } from "../journal.ts";
import type { Link } from "./link.ts";

interface FileRow extends SharedFile, Record<string, unknown> {}

export function serverFiles(link: Link, project: number): SharedFiles {
  return {
    list: async (run) => {
      const text = `select name, digest, origin as "from" from heddle.file
        where project = $1 and run = $2 and body is not null order by number`;
      const rows = await link.ask<FileRow>({ name: "files", text, values: [project, run] });
      return rows.map(({ name, digest, from }) => ({ name, digest, from }));
    },
    wasThere: async (run, { name, digest }) => {
      const text = "select 1 from heddle.file where project = $1 and run = $2 and name = $3 and digest = $4";
      return (await link.ask({ name: "was", text, values: [project, run, name, digest] })).length > 0;
    },
    put: async (run, { name, digest, from, body }) => {
      // Asked twice it does the same: the row is there, and is the newest.
      const text = `with older as (
          update heddle.file set body = null where project = $1 and run = $2 and name = $3 and digest <> $4 and body is not null
        )
        insert into heddle.file (project, run, name, digest, origin, body) values ($1, $2, $3, $4, $5, $6)
        on conflict (project, run, name, digest) do update
          set body = excluded.body, origin = excluded.origin, number = default`;
      const values = [project, run, name, digest, from, Buffer.from(body)];
      await link.ask({ name: "put", text, values });
    },
    get: async (run, { name, digest }) => {
      const text =
        "select body from heddle.file where project = $1 and run = $2 and name = $3 and digest = $4";
      const [found] = await link.ask<{ body: Buffer | null }>({ text, values: [project, run, name, digest] });
      return found?.body ?? undefined;
    },
  };
}
