// PHP: composer, its scripts, and the tools that have configuration files of their own. A script of composer.json is
// preferred to the tool behind it.
import type { Purpose } from "../project-context.ts";
import { fields, readJson, text, textFields, texts } from "./json.ts";
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

const scriptPurposes: readonly (readonly [Purpose, RegExp])[] = [
  ["test", /^(?:tests?|phpunit|pest|unit)$/],
  ["lint", /^(?:lint|cs|phpcs|cs[:-]check|check-style)$/],
  ["format", /^(?:format|fmt|cs-?fix|fix|pint)$/],
  ["types", /^(?:phpstan|psalm|stan|analy[sz]e|types)$/],
  ["check", /^(?:check|ci|qa)$/],
];

const tools: readonly (readonly [Purpose, string, readonly string[], string])[] = [
  ["test", "vendor/bin/pest", ["tests/Pest.php"], "pestphp/pest"],
  ["test", "vendor/bin/phpunit", ["phpunit.xml", "phpunit.xml.dist"], "phpunit/phpunit"],
  ["types", "vendor/bin/phpstan analyse", ["phpstan.neon", "phpstan.neon.dist"], "phpstan/phpstan"],
  ["types", "vendor/bin/psalm", ["psalm.xml", "psalm.xml.dist"], "vimeo/psalm"],
  ["lint", "vendor/bin/phpcs", ["phpcs.xml", "phpcs.xml.dist", ".phpcs.xml"], "squizlabs/php_codesniffer"],
  [
    "format",
    "vendor/bin/php-cs-fixer check",
    [".php-cs-fixer.php", ".php-cs-fixer.dist.php"],
    "friendsofphp/php-cs-fixer",
  ],
  ["format", "vendor/bin/pint --test", ["pint.json"], "laravel/pint"],
];

export function findPhp(module: Module): Finding | undefined {
  const manifest = readJson(module, "composer.json");
  if (manifest === undefined) return undefined;
  const found = finding(module, {
    name: "PHP",
    language: "PHP",
    tool: "composer",
    version: text(fields(manifest.require).php),
    manifest: "composer.json",
  });
  for (const [field, kind] of [
    ["require", "runtime"],
    ["require-dev", "dev"],
  ] as const)
    for (const [name, version] of textFields(manifest[field]))
      if (name !== "php")
        found.dependencies.push(dependencyOf(module, "composer.json", { name, version, kind }));
  addCommands(module, fields(manifest.scripts), found);
  const lock = module.has("composer.lock") ? module.at("composer.lock") : null;
  found.setup.push({
    run: "composer install --no-interaction",
    cwd: module.root,
    lock_file: lock,
    found_in: lock ?? module.at("composer.json"),
  });
  entries(module, found, [
    ...texts(manifest.bin).map((path) => [path, "composer.json bin"] as const),
    ["public/index.php", "front controller"],
    ["index.php", "usual name"],
    ["artisan", "Laravel"],
    ["bin/console", "Symfony"],
  ]);
  return found;
}

function addCommands(module: Module, scripts: Readonly<Record<string, unknown>>, found: Finding): void {
  for (const [name, value] of Object.entries(scripts)) {
    const purpose = scriptPurposes.find(([, names]) => names.test(name))?.[0];
    if (purpose === undefined) continue;
    const does = text(value) ?? texts(value).join(" && ");
    const offer = { run: `composer run ${name}`, file: "composer.json", where: `scripts.${name}`, does };
    found.commands.push(commandOf(module, purpose, { ...offer, declared: true }));
  }
  const packages = new Set(found.dependencies.map(({ name }) => name));
  for (const [purpose, run, files, name] of tools) {
    if (hasCommand(found, purpose)) continue;
    const file = firstOf(module, files);
    if (file !== undefined) found.commands.push(commandOf(module, purpose, { run, file, declared: true }));
    else if (packages.has(name))
      found.commands.push(commandOf(module, purpose, { run, file: "composer.json", where: name }));
  }
}
