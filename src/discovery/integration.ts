// What a change must hold to in this project, as sentences: the commands that must pass, the set-up, where files go and
// how they are named. Only what the project says itself is a rule; a usual test command is one too, for want of another.
import type { Command, Imports, ProjectContext } from "./project-context.ts";

type Known = Omit<ProjectContext, "integration_requirements" | "samples" | "notes">;

const maxPerPurpose = 3;

export function integrationOf(known: Known): string[] {
  return [...commandRules(known.commands), ...setupRules(known), ...habits(known), ...surroundings(known)];
}

const purposes = [
  ["test", "tests"],
  ["lint", "lint"],
  ["types", "types"],
  ["format", "format"],
  ["check", "all checks"],
] as const;

const rewrites = /--write\b|--fix\b|\s-w\b/;
const checks = /check|verify|dry|\s-l\b|--test|--set-exit/;

function commandRules(commands: readonly Command[]): string[] {
  return purposes.flatMap(([purpose, label]) => {
    const all = commands.filter((command) => command.purpose === purpose);
    const declared = all.filter((command) => command.declared);
    const rules = declared.length > 0 || purpose !== "test" ? declared : all;
    return rules.slice(0, maxPerPurpose).map(({ run, cwd, found_in, does }) => {
      const where = cwd === "." ? "" : ` in ${cwd}/`;
      const isRewrite =
        purpose === "format" && (rewrites.test(does ?? "") || !checks.test(`${run} ${does ?? ""}`));
      return `${label}: \`${run}\`${where} ${isRewrite ? "formats" : "must pass"} (${found_in})`;
    });
  });
}

function setupRules({ setup }: Known): string[] {
  return setup.slice(0, 4).map(({ run, cwd, lock_file }) => {
    const where = cwd === "." ? "" : ` in ${cwd}/`;
    const lock = lock_file === null ? "" : `; a new dependency changes ${lock_file} too`;
    return `set-up: \`${run}\`${where}${lock}`;
  });
}

function habits({ source_layout, test_layout, naming, imports, stacks }: Known): string[] {
  const [folder] = source_layout.folders;
  const total = source_layout.folders.reduce((sum, { files }) => sum + files, 0);
  const isMost = folder !== undefined && folder.path !== "." && folder.files >= total / 2;
  const clear = naming.filter(({ files }) => files !== null && !/^mixed|^lower/.test(files.style));
  return [
    ...(folder === undefined
      ? []
      : [isMost ? `sources: new files go under ${folder.path}/` : `sources lie in ${source_layout.summary}`]),
    ...(test_layout.kind === "none" ? [] : [`tests lie ${placed(test_layout.summary)}`]),
    ...clear.map(({ language, files }) => `names: ${language} files are in ${files?.style}`),
    ...imports.map((each) => `imports: ${each.language}: ${importText(each)}`),
    ...stacks
      .filter(({ version }) => version !== null)
      .slice(0, 3)
      .map(({ name, version, manifest }) => `runtime: ${name} ${version} (${manifest})`),
  ];
}

const placed = (summary: string) => (/^(?:beside|inline)/.test(summary) ? summary : `in ${summary}`);

export function importText({ paths, modules, extensions }: Imports): string {
  const names = { esm: "ES modules", cjs: "CommonJS", mixed: "ES modules and CommonJS" };
  return [
    ...(modules === undefined ? [] : [names[modules]]),
    paths === "mixed" ? "relative and absolute paths" : `${paths} paths`,
    ...(extensions === undefined || paths === "absolute"
      ? []
      : [extensions === "mixed" ? "extensions sometimes written" : `extensions ${extensions}`]),
  ].join(", ");
}

function surroundings({ config_files, workspaces }: Known): string[] {
  const ci = config_files.filter((path) =>
    /^\.github\/workflows\/.*\.ya?ml$|^\.gitlab-ci|Jenkinsfile|azure-pipelines/.test(path),
  );
  const guides = config_files.filter((path) => /^(?:AGENTS|CLAUDE|GEMINI)\.md$/.test(path));
  return [
    ...(workspaces.length > 0
      ? [`workspaces: ${workspaces.length} members; their manifests depend on each other`]
      : []),
    ...(ci.length > 0 ? [`continuous integration: ${ci.slice(0, 3).join(", ")}`] : []),
    ...(guides.length > 0 ? [`instructions for agents: ${guides.join(", ")}`] : []),
  ];
}
