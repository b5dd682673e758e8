// Java and Kotlin, with Maven or Gradle. Build files are XML and programs; what is taken from them is taken by pattern,
// because there is no XML library here and a build script is never run.
import { membersOf } from "./members.ts";
import { commandOf, dependencyOf, entries, type Finding, finding, firstOf, type Module } from "./module.ts";

export function findMaven(module: Module): Finding | undefined {
  const pom = withoutRemarks(module.text("pom.xml"));
  if (pom === undefined) return undefined;
  const found = finding(module, {
    name: "Java",
    language: languageOf(module),
    tool: "maven",
    version: /<(?:maven\.compiler\.release|java\.version|maven\.compiler\.source|release)>([^<$]+)</.exec(
      pom,
    )?.[1],
    manifest: "pom.xml",
  });
  for (const [, block = ""] of pom.matchAll(/<dependency>([\s\S]{0,1000}?)<\/dependency>/g)) {
    const field = (name: string) => new RegExp(`<${name}>([^<]{1,200})</${name}>`).exec(block)?.[1]?.trim();
    const name = `${field("groupId") ?? ""}:${field("artifactId") ?? ""}`;
    const kind = field("scope") === "test" ? "dev" : "runtime";
    found.dependencies.push(
      dependencyOf(module, "pom.xml", { name, version: field("version") ?? null, kind }),
    );
  }
  const globs = [...pom.matchAll(/<module>([^<]{1,200})<\/module>/g)].map(([, path = ""]) => path.trim());
  found.workspaces.push(...membersOf(module, { globs, manifest: /^pom\.xml$/, tool: "maven" }));
  const maven = `${module.program("mvnw") ?? "mvn"} -B`;
  const usual = { file: "pom.xml", where: "(maven)" };
  found.commands.push(
    commandOf(module, "test", { run: `${maven} test`, ...usual }),
    commandOf(module, "build", { run: `${maven} package -DskipTests`, ...usual }),
  );
  const plugins = [
    ["lint", "maven-checkstyle-plugin", "checkstyle:check"],
    ["lint", "spotbugs-maven-plugin", "spotbugs:check"],
    ["format", "spotless-maven-plugin", "spotless:check"],
  ] as const;
  for (const [purpose, where, goal] of plugins)
    if (pom.includes(where))
      found.commands.push(
        commandOf(module, purpose, { run: `${maven} ${goal}`, file: "pom.xml", where, declared: true }),
      );
  found.setup.push({
    run: `${maven} dependency:go-offline`,
    cwd: module.root,
    lock_file: null,
    found_in: module.at("pom.xml"),
  });
  addEntries(module, found);
  return found;
}

/** Comments of XML. A pattern would look for the end of each from its start: slow on a file of starts alone. */
function withoutRemarks(xml: string | undefined): string | undefined {
  const [first, ...rest] = xml?.split("<!--") ?? [];
  if (first === undefined) return undefined;
  return (
    first + rest.map((part) => (part.includes("-->") ? part.slice(part.indexOf("-->") + 3) : "")).join("")
  );
}

const gradleFiles = ["build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"];

export function findGradle(module: Module): Finding | undefined {
  const manifest = firstOf(module, gradleFiles);
  if (manifest === undefined) return undefined;
  const text = gradleFiles.map((name) => module.text(name) ?? "").join("\n");
  const found = finding(module, {
    name: "Java",
    language: languageOf(module),
    tool: "gradle",
    version:
      /JavaLanguageVersion\.of\((\d+)\)|(?:jvmToolchain\(|VERSION_)(\d+)/
        .exec(text)
        ?.slice(1)
        .find(Boolean) ?? undefined,
    manifest,
  });
  const declared =
    /^[ \t]*(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly))[ \t(]+["']([\w.-]+:[\w.-]+)(?::([\w.$-]+))?["']/gm;
  for (const [, how = "", name = "", version = null] of text.matchAll(declared)) {
    const kind = how.startsWith("test") ? "dev" : "runtime";
    found.dependencies.push(dependencyOf(module, manifest, { name, version, kind }));
  }
  found.workspaces.push(...gradleMembers(module));
  addGradle(module, { found, text, manifest });
  addEntries(module, found);
  return found;
}

function addGradle(
  module: Module,
  { found, text, manifest }: { found: Finding; text: string; manifest: string },
): void {
  const gradle = module.program("gradlew") ?? "gradle";
  const usual = { file: manifest, where: "(gradle)" };
  found.commands.push(
    commandOf(module, "test", { run: `${gradle} test`, ...usual }),
    commandOf(module, "check", { run: `${gradle} check`, ...usual }),
    commandOf(module, "build", { run: `${gradle} assemble`, ...usual }),
  );
  const plugins = [
    ["lint", "checkstyle", "checkstyleMain"],
    ["lint", "detekt", "detekt"],
    ["lint", "ktlint", "ktlintCheck"],
    ["format", "spotless", "spotlessCheck"],
  ] as const;
  for (const [purpose, where, task] of plugins)
    if (text.includes(where))
      found.commands.push(
        commandOf(module, purpose, { run: `${gradle} ${task}`, file: manifest, where, declared: true }),
      );
  const lock = module.has("gradle.lockfile") ? module.at("gradle.lockfile") : null;
  found.setup.push({
    run: `${gradle} dependencies`,
    cwd: module.root,
    lock_file: lock,
    found_in: lock ?? module.at(manifest),
  });
}

function gradleMembers(module: Module) {
  const settings = `${module.text("settings.gradle") ?? ""}\n${module.text("settings.gradle.kts") ?? ""}`;
  // A list goes on over lines inside of its bracket, or after a comma.
  const joined = settings.replace(/,[ \t]{0,100}\n[ \t\n]{0,500}/g, ", ");
  const lists = joined.matchAll(/^[ \t]*include[ \t]*(?:\(([^)]{0,4000})\)|[ \t]([^\n]{0,4000}))/gm);
  const globs = [...lists]
    .map(([, inBrackets, plain]) => inBrackets ?? plain ?? "")
    .flatMap((list) => [...list.matchAll(/["']:?([\w:./-]+)["']/g)])
    .map(([, name = ""]) => name.replaceAll(":", "/"));
  return membersOf(module, { globs, manifest: /^build\.gradle(?:\.kts)?$/, tool: "gradle" });
}

function languageOf(module: Module): string {
  return module.paths().some((path) => path.endsWith(".kt") && path.includes("src/main/kotlin/"))
    ? "Kotlin"
    : "Java";
}

function addEntries(module: Module, found: Finding): void {
  const mains = module
    .paths()
    .filter((path) => /(?:^|\/)(?:Main|App|\w*Application)\.(?:java|kt)$/.test(path));
  const own = mains.filter((path) => !path.includes("src/test/"));
  entries(
    module,
    found,
    own.slice(0, 5).map((path) => [path, "usual name of a main class"]),
  );
}
