// Planted bugs of `made-repository.attack.ts`.
import type { Planted } from "./planted.ts";

const attack = "made-repository.attack.ts";

export const planted: readonly Planted[] = [
  {
    name: "a snapshot takes a repository's parts",
    file: "src/host/git/snapshot.ts",
    from: "if (repository !== undefined) return madeRepository(repository);",
    to: "",
    caughtBy: [attack, "is refused in"],
  },
  {
    name: "a commondir is not known to make a repository",
    file: "src/host/git/repository-parts.ts",
    from: ' || all.has("commondir")',
    to: "",
    caughtBy: [attack, "a repository made with a common directory"],
  },
  {
    name: "a merge is not looked at",
    file: "src/host/git/integrate.ts",
    from: "if (repository === undefined) return",
    to: "return",
    caughtBy: [attack, "does not merge two changes"],
  },
  {
    name: "landing looks at the branch alone",
    file: "src/host/land/land-files.ts",
    from: "repositoryAmong(arriving, namesOn(o.folder))",
    to: "repositoryAmong(arriving, () => [])",
    caughtBy: [attack, "which no branch knows of"],
  },
  {
    name: "git looks for a repository by itself",
    file: "src/host/git/find-repository.ts",
    from: "    } else if (looksLikeRepository(at)) return bare(at);",
    to: "    }",
    caughtBy: [attack, "that is one already"],
  },
  {
    name: "files that the configuration includes are the agent's",
    file: "src/host/git/snapshot.ts",
    from: "configured(repo, change) ?? ",
    to: "",
    caughtBy: [attack, "which the repository's configuration includes"],
  },
  {
    name: "filters of the configuration stay on for commit-task",
    file: "src/hostloop/commit.ts",
    from: "if (filtered !== undefined) throw",
    to: "if (filtered === '') throw",
    caughtBy: [attack, "runs no filter"],
  },
];
