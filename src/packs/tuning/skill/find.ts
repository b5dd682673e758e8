// Which skills there are below a path, and of which kind each is. The kind follows from where a file lies, because
// that is how the hosts find it too.
import { readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { toCall } from "../../../core/hint.ts";
import { type Problem, problem } from "../../../core/problem.ts";
import { isPlainFile } from "../../../host/files.ts";
import type { SkillPlace } from "./read.ts";
import type { Kind } from "./skill.ts";

const maxDepth = 12;
const maxSkills = 2000;
/** What others made, and what is there to be filled in or to be wrong; named by its own path each is a skill. */
const skipped =
  /^(node_modules|\.git|dist|build|target|vendor|\.venv|__pycache__|\.heddle|templates?|fixtures?|__fixtures__|testdata)$/;

const homes: readonly (readonly [RegExp, Kind])[] = [
  [/\/\.claude\/agents\/.*\.md$/, "claude-agent"],
  [/\/\.claude\/commands\/.*\.md$/, "claude-command"],
  [/\/\.claude\/skills\/.*\/SKILL\.md$/, "claude-skill"],
  [/\/\.(codex|agents)\/skills\/.*\/SKILL\.md$/, "codex-skill"],
  [/\/\.codex\/prompts\/[^/]*\.md$/, "codex-prompt"],
  [/\/\.?opencode\/agents?\/.*\.md$/, "opencode-agent"],
  [/\/\.?opencode\/commands?\/.*\.md$/, "opencode-command"],
  [/\/\.gemini\/agents\/.*\.md$/, "gemini-agent"],
  [/\/\.gemini\/commands\/.*\.toml$/, "gemini-command"],
  [/\/SKILL\.md$/, "skill"],
  [/\/(AGENTS|CLAUDE|GEMINI)\.md$/, "instructions"],
];

/** Folders of a plugin of Claude Code or an extension of Gemini, by what lies beside them. */
const packages: readonly (readonly [string, RegExp, Kind])[] = [
  [".claude-plugin/plugin.json", /^agents\/.*\.md$/, "claude-agent"],
  [".claude-plugin/plugin.json", /^commands\/.*\.md$/, "claude-command"],
  [".claude-plugin/plugin.json", /^skills\/.*\/SKILL\.md$/, "claude-skill"],
  ["gemini-extension.json", /^commands\/.*\.toml$/, "gemini-command"],
];

function kindOf(path: string): Kind | undefined {
  const own = homes.find(([home]) => home.test(path))?.[1];
  return own === undefined || own === "skill" ? (kindInPackage(path) ?? own) : own;
}

function kindInPackage(path: string): Kind | undefined {
  const [, root, rest] = /^(.*)\/((?:agents|commands|skills)\/.*)$/.exec(path) ?? [];
  if (root === undefined || rest === undefined) return undefined;
  return packages.find(([mark, inside]) => inside.test(rest) && isPlainFile(join(root, mark)))?.[2];
}

/** A file, a skill's folder, or a folder with skills below it. */
export function findSkills(path: string): readonly SkillPlace[] | Problem {
  const at = resolve(path);
  const stat = statSync(at, { throwIfNoEntry: false });
  if (!stat) return problem("no-skill", `\`${path}\` is not there`, { hint: toCall("tune --check --all") });
  if (stat.isFile()) {
    if (!at.endsWith(".md") && kindOf(at) === undefined)
      return problem("no-skill", `\`${path}\` is not Markdown`, {
        hint: toCall("tune --check path/to/SKILL.md"),
      });
    return [{ entry: at, kind: kindOf(at) ?? "prompt" }];
  }
  const entry = join(at, "SKILL.md");
  if (isPlainFile(entry)) return [{ entry, kind: kindOf(entry) ?? "skill" }];
  const found = below(at);
  if (found.length > 0) return found;
  return problem("no-skill", `there is no skill in \`${path}\``, {
    hint: [
      "a skill is a folder with SKILL.md; a single prompt can be named: ",
      toCall("tune --check prompt.md"),
    ],
  });
}

function below(root: string): SkillPlace[] {
  const found: SkillPlace[] = [];
  const walk = (at: string, depth: number) => {
    let entries: ReturnType<typeof list>;
    try {
      entries = list(at);
    } catch {
      return;
    }
    for (const entry of entries) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && depth < maxDepth && !skipped.test(entry.name)) walk(path, depth + 1);
      const kind = entry.isFile() ? kindOf(path) : undefined;
      if (kind && basename(path) !== "README.md" && found.length < maxSkills)
        found.push({ entry: path, kind });
    }
  };
  walk(root, 0);
  return found;
}

function list(folder: string) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}
