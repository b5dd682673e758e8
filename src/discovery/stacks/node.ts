// Node.js: npm, pnpm, yarn and bun; TypeScript or JavaScript. What package.json says in its scripts counts first; what
// is merely installed is called as it usually is.
import { plain } from "../plain.ts";
import type { Purpose } from "../project-context.ts";
import { type Fields, fields, readJson, text, textFields, texts } from "./json.ts";
import { membersOf } from "./members.ts";
import {
  commandOf,
  dependencyOf,
  entries,
  type Finding,
  finding,
  firstOf,
  hasCommand,
  type Module,
} from "./module.ts";

type Tool = "npm" | "pnpm" | "yarn" | "bun";

const locks: readonly (readonly [string, Tool])[] = [
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

const scriptPurposes: readonly (readonly [Purpose, RegExp])[] = [
  ["test", /^(?:tests?|unit|e2e|test[:-](?:unit|ci|e2e|integration|all|run))$/],
  ["lint", /^(?:lint|eslint|lint[:-](?:check|ci|all|js|ts))$/],
  ["format", /^(?:format|fmt|prettier|(?:format|fmt|prettier)[:-]check|check[:-]format(?:ting)?)$/],
  ["types", /^(?:types?|tsc|type-?check|typings|types?[:-]check|check[:-]types?|check-types|lint[:-]types)$/],
  ["build", /^(?:build|compile)$/],
  ["check", /^(?:check|verify|validate|ci|check[:-]all)$/],
];

interface Npm {
  readonly module: Module;
  readonly manifest: Fields;
  readonly tool: Tool;
  readonly found: Finding;
  readonly packages: ReadonlySet<string>;
}

export function findNode(module: Module): Finding | undefined {
  const manifest = readJson(module, "package.json");
  if (manifest === undefined) return undefined;
  const lock = firstOf(
    module,
    locks.map(([name]) => name),
  );
  const named = /^(npm|pnpm|yarn|bun)@/.exec(text(manifest.packageManager) ?? "")?.[1] as Tool | undefined;
  const above = locks.find(([, name]) => name === module.tool)?.[1];
  const tool = named ?? locks.find(([name]) => name === lock)?.[1] ?? above ?? "npm";
  const packages = new Set(
    [manifest.dependencies, manifest.devDependencies].flatMap((each) => Object.keys(fields(each))),
  );
  const found = finding(module, {
    name: "Node.js",
    language: module.has("tsconfig.json") || packages.has("typescript") ? "TypeScript" : "JavaScript",
    tool,
    version: text(fields(manifest.engines).node) ?? module.text(".nvmrc") ?? module.text(".node-version"),
    manifest: "package.json",
  });
  const called = text(manifest.name);
  if (called !== undefined) found.name = plain(called, 80);
  const npm = { module, manifest, tool, found, packages };
  addDependencies(npm);
  addScripts(npm);
  addUsual(npm);
  addSetup(npm, lock);
  addEntries(npm);
  found.workspaces.push(...workspaces(npm));
  return found;
}

function addDependencies({ module, manifest, found }: Npm): void {
  const kinds = [
    ["dependencies", "runtime"],
    ["peerDependencies", "runtime"],
    ["optionalDependencies", "runtime"],
    ["devDependencies", "dev"],
  ] as const;
  for (const [field, kind] of kinds)
    for (const [name, version] of textFields(manifest[field]))
      found.dependencies.push(dependencyOf(module, "package.json", { name, version, kind }));
}

function addScripts({ module, manifest, tool, found }: Npm): void {
  for (const [name, does] of textFields(manifest.scripts)) {
    if (does.includes("no test specified")) continue;
    const purpose = scriptPurposes.find(([, names]) => names.test(name))?.[0];
    if (purpose === undefined) continue;
    const run = name === "test" && tool !== "bun" ? `${tool} test` : `${tool} run ${name}`;
    const offer = { run, file: "package.json", where: `scripts.${name}`, does, declared: true };
    found.commands.push(commandOf(module, purpose, offer));
  }
}

const usual: readonly (readonly [Purpose, string, string, RegExp])[] = [
  ["test", "vitest", "vitest run", /^vitest\.config\./],
  ["test", "jest", "jest", /^jest\.config\./],
  ["test", "mocha", "mocha", /^\.mocharc/],
  ["test", "ava", "ava", /^ava\.config\./],
  ["lint", "@biomejs/biome", "biome check .", /^biome\.jsonc?$/],
  ["lint", "eslint", "eslint .", /^(?:eslint\.config\.|\.eslintrc)/],
  ["lint", "oxlint", "oxlint", /^\.oxlintrc/],
  ["format", "prettier", "prettier --check .", /^(?:prettier\.config\.|\.prettierrc)/],
];

/** A tool among the dependencies is called as it usually is, where no script says how; its settings make it a rule. */
function addUsual({ module, tool, found, packages }: Npm): void {
  const through = { npm: "npx", pnpm: "pnpm exec", yarn: "yarn", bun: "bunx" }[tool];
  for (const [purpose, name, run, settings] of usual) {
    if (!packages.has(name) || hasCommand(found, purpose)) continue;
    const own = module.names.find((each) => settings.test(each));
    const place = own === undefined ? { file: "package.json", where: name } : { file: own, declared: true };
    found.commands.push(commandOf(module, purpose, { run: `${through} ${run}`, ...place }));
  }
  if (packages.has("typescript") && module.has("tsconfig.json") && !hasCommand(found, "types"))
    found.commands.push(
      commandOf(module, "types", { run: `${through} tsc --noEmit`, file: "tsconfig.json", declared: true }),
    );
}

function addSetup({ module, manifest, tool, found, packages }: Npm, lock: string | undefined): void {
  const isBerry =
    module.has(".yarnrc.yml") || /^yarn@(?:[2-9]|\d{2})/.test(text(manifest.packageManager) ?? "");
  const frozen = {
    npm: "npm ci",
    pnpm: "pnpm install --frozen-lockfile",
    yarn: isBerry ? "yarn install --immutable" : "yarn install --frozen-lockfile",
    bun: "bun install --frozen-lockfile",
  };
  const lockTool = locks.find(([name]) => name === lock)?.[1];
  if (lock !== undefined && lockTool !== undefined)
    found.setup.push({
      run: frozen[lockTool],
      cwd: module.root,
      lock_file: module.at(lock),
      found_in: module.at(lock),
    });
  else if (packages.size > 0 || found.workspaces.length > 0)
    found.setup.push({
      run: `${tool} install`,
      cwd: module.root,
      lock_file: null,
      found_in: module.at("package.json"),
    });
}

function addEntries({ module, manifest, found }: Npm): void {
  const bin =
    text(manifest.bin) === undefined ? textFields(manifest.bin) : [["bin", text(manifest.bin) ?? ""]];
  const root = fields(manifest.exports)["."] ?? manifest.exports;
  const exported = text(root) ?? text(fields(root).import) ?? text(fields(root).default);
  const named = [
    [text(manifest.main), "package.json main"],
    [text(manifest.module), "package.json module"],
    [exported, "package.json exports"],
    ...bin.map(([name, path]) => [path, `package.json bin ${name}`]),
  ] as const;
  for (const [path, why] of named)
    if (path !== undefined && why !== undefined)
      entries(
        module,
        found,
        sourcesOf(path)
          .map((each) => [each, why] as const)
          .slice(0, 4),
      );
  const stems = [
    "src/index",
    "src/main",
    "src/server",
    "src/app",
    "src/cli",
    "index",
    "main",
    "server",
    "app",
  ];
  const places = stems.flatMap((stem) => ["ts", "tsx", "js", "mjs", "cjs"].map((end) => `${stem}.${end}`));
  entries(
    module,
    found,
    places.map((path) => [path, "usual name"] as const),
  );
}

/** A manifest names what is built; what an agent edits is the source that it is built from. */
function sourcesOf(path: string): string[] {
  const clean = path.replace(/^\.\//, "");
  const source = clean.replace(/^(?:dist|build|lib|out)\//, "src/").replace(/\.[cm]?js$/, ".ts");
  return source === clean ? [clean] : [clean, source];
}

function workspaces({ module, manifest, tool }: Npm) {
  const globs = [
    ...texts(manifest.workspaces),
    ...texts(fields(manifest.workspaces).packages),
    ...pnpmPackages(module.text("pnpm-workspace.yaml") ?? ""),
    ...texts(readJson(module, "lerna.json")?.packages),
  ];
  return membersOf(module, { globs, manifest: /^package\.json$/, tool });
}

/** The list under `packages:`, line by line: there is no YAML library here, and the file holds little else. */
function pnpmPackages(yaml: string): string[] {
  const lines = yaml.split(/\r?\n/);
  const start = lines.findIndex((line) => /^packages:\s*(?:#.*)?$/.test(line));
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^[^\s#-]/.test(line));
  return rest
    .slice(0, end < 0 ? rest.length : end)
    .flatMap((line) => /^\s*-\s+(?:"([^"]+)"|'([^']+)'|([^\s#]+))/.exec(line)?.slice(1) ?? [])
    .filter((glob): glob is string => glob !== undefined);
}
