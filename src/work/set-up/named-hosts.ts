// The hosts that manifests, locks and settings of package tools name as places to fetch from. Each form is read for that alone: a
// homepage, a licence or a sponsor's page in the same file is not such a place. No I/O.

type Read = (text: string) => string[];

/** What a URL in any of its forms names: `git+ssh://git@host/x`, `https://host:8443/x`, `git@host:x`. */
function hostOf(url: string): string | undefined {
  const [, scheme = "", host, port] =
    /^(?:git\+|registry\+|sparse\+|direct\+)?([a-z]+):\/\/(?:[^/\s"'@]*@)?([\w.-]+)(?::(\d+))?(?:[/\s"']|$)/i.exec(
      url,
    ) ?? [];
  if (host === undefined) return /^[\w.-]{1,100}@([\w.-]{1,253}):/.exec(url)?.[1];
  // A proxy carries no ssh; tools that can fetch the same over HTTPS do.
  return port === undefined || !/^https?$/i.test(scheme) ? host : `${host}:${port}`;
}

const places = (text: string, form: RegExp): string[] =>
  [...text.matchAll(form)].flatMap((found) => {
    const host = hostOf(found.slice(1).find((each) => each !== undefined) ?? "");
    return host === undefined ? [] : [host];
  });

/** Longer than anybody writes, and any tool. */
const longestLine = 4000;

/** Every URL on lines that are no comment. */
const everyUrl: Read = (text) =>
  text
    .split(/\r?\n/)
    .filter((line) => line.length <= longestLine && !/^\s{0,20}(?:#|;|\/\/)/.test(line))
    .flatMap((line) =>
      places(
        line,
        /((?:git\+|sparse\+)?(?:https?|ssh|git):\/\/[^\s"'<>]+|[\w.-]{1,100}@[\w.-]{1,253}:[\w./-]{1,500})/g,
      ),
    );

const reading =
  (...forms: RegExp[]): Read =>
  (text) =>
    forms.flatMap((form) => places(text, form));

const shorthand = /"(?:github:)?[\w.-]+\/[\w.-]+(?:#[^"]*)?"/;

/** `"x": "github:a/b"`, `"x": "git+https://host/…"`, `"x": "https://host/x.tgz"`, among its dependencies. */
const inPackage: Read = (text) =>
  dependencyLists(text).flatMap((list) => [
    ...places(list, /:\s{0,20}"((?:git\+)?(?:https?|ssh|git):\/\/[^"]+|git@[^"]+)"/g),
    ...(list.match(new RegExp(`:\\s{0,20}${shorthand.source}`)) ? ["github.com"] : []),
    ...(/:\s{0,20}"gitlab:/.test(list) ? ["gitlab.com"] : []),
    ...(/:\s{0,20}"bitbucket:/.test(list) ? ["bitbucket.org"] : []),
  ]);

/** Each up to the brace that closes it. One expression for both would look for that brace from every beginning on. */
function dependencyLists(text: string): string[] {
  const lists: string[] = [];
  let end = 0;
  for (const { index, 0: head } of text.matchAll(
    /"(?:\w{0,20}[dD]ependencies|overrides|resolutions)"\s{0,20}:\s{0,20}\{/g,
  )) {
    if (index < end) continue;
    end = text.indexOf("}", index);
    if (end < 0) break;
    lists.push(text.slice(index + head.length, end));
  }
  return lists;
}

/** `url`, `git` and their like; not those of `[project.urls]`, which are for people. */
const inToml: Read = (text) =>
  text
    .split(/\n(?=\s{0,20}\[)/)
    .flatMap((section) =>
      /^\s{0,20}\[[\w.-]*urls\]/.test(section)
        ? []
        : [
            ...places(
              section,
              /\b(?:url|git|index|index-url|extra-index-url|default-index|registry|registry-index|find-links)\s{0,20}=\s{0,20}\[?\s{0,20}"([^"]+)"/g,
            ),
            ...places(section, /((?:git\+)(?:https?|ssh):\/\/[^\s"']+)/g),
            ...places(section, /@\s{0,20}(https?:\/\/[^\s"']+)/g),
          ],
    );

/** The old name of an index that is fetched from its registry since. */
const cratesIndex = /(?:registry\+)?https:\/\/github\.com\/rust-lang\/crates\.io-index/g;

const inMaven: Read = (text) =>
  ["repositories", "pluginRepositories", "mirrors"].flatMap((name) =>
    text
      .split(`<${name}>`)
      .slice(1)
      .flatMap((part) => places(part.split(`</${name}>`)[0] ?? "", /<url>\s{0,20}([^<\s]+)/g)),
  );

const inGradle: Read = (text) => [
  ...places(text, /\burl\s{0,20}(?:=\s{0,20})?(?:uri\s{0,20})?\(?\s{0,20}["']([^"']+)["']/g),
  ...places(text, /\bmaven\s{0,20}\(\s{0,20}["']([^"']+)["']/g),
  ...(/\bgoogle\s{0,20}\(\s{0,20}\)/.test(text) ? ["dl.google.com", "maven.google.com"] : []),
];

const inGemfile: Read = (text) => [
  ...places(text, /^\s{0,20}(?:source|remote:)\s{0,20}\(?["']?(https?:\/\/[^"'\s]+)/gm),
  ...places(text, /\bgit(?::|\s{0,20}=>)\s{0,20}["']([^"']+)["']/g),
  ...(/\bgithub(?::|\s{0,20}=>)/.test(text) ? ["github.com"] : []),
];

/** By the end of a path, the first that fits. */
const forms: readonly (readonly [RegExp, Read])[] = [
  [/(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/, reading(/"resolved":\s{0,20}"([^"]+)"/g)],
  [
    /(?:^|\/)yarn\.lock$/,
    reading(
      /^\s{1,20}resolved\s{1,20}"([^"]+)"/gm,
      /^\s{1,20}resolution:\s{0,20}"[^"]*@((?:git\+)?https?:[^"]+)"/gm,
    ),
  ],
  [/(?:^|\/)(?:pnpm-lock\.yaml|bun\.lock|deno\.lock)$/, everyUrl],
  [/(?:^|\/)package\.json$/, inPackage],
  [/(?:^|\/)\.npmrc$/, reading(/^\s{0,20}(?:@[\w.-]+:)?registry\s{0,20}=\s{0,20}["']?([^\s"']+)/gm)],
  [/(?:^|\/)(?:\.yarnrc(?:\.yml)?|bunfig\.toml|pnpm-workspace\.yaml|deno\.jsonc?)$/, everyUrl],
  [/(?:^|\/)(?:requirements[^/]*\.(?:txt|in)|pip\.conf|uv\.toml|Pipfile)$/, everyUrl],
  [/(?:^|\/)(?:poetry|uv|pdm)\.lock$|(?:^|\/)Pipfile\.lock$/, everyUrl],
  [/(?:^|\/)pyproject\.toml$/, inToml],
  [/(?:^|\/)Cargo\.toml$/, inToml],
  [/(?:^|\/)Cargo\.lock$/, (text) => reading(/^source = "([^"]+)"/gm)(text.replaceAll(cratesIndex, ""))],
  [/(?:^|\/)\.cargo\/config(?:\.toml)?$/, everyUrl],
  [/(?:^|\/)(?:Gemfile(?:\.lock)?|gems\.(?:rb|locked))$/, inGemfile],
  [/(?:^|\/)\.bundle\/config$/, everyUrl],
  [
    /(?:^|\/)composer\.json$/,
    reading(
      /"type":\s{0,20}"(?:vcs|git|composer|package)",\s{0,20}"url":\s{0,20}"([^"]+)"/g,
      /"url":\s{0,20}"([^"]+)",\s{0,20}"type"/g,
    ),
  ],
  [/(?:^|\/)composer\.lock$/, reading(/"type":\s{0,20}"(?:git|zip|tar)",\s{0,20}"url":\s{0,20}"([^"]+)"/g)],
  [/(?:^|\/)(?:pom\.xml|\.mvn\/settings\.xml)$/, inMaven],
  [/\.gradle(?:\.kts)?$/, inGradle],
  [
    /(?:^|\/)gradle-wrapper\.properties$/,
    (text) => places(text.replaceAll("\\:", ":"), /^distributionUrl=(\S+)/gm),
  ],
  [/(?:^|\/)nuget\.config$/i, reading(/<add\s[^<>]{0,500}value="(https?:[^"]+)"/g)],
  [/(?:^|\/)mix\.(?:exs|lock)$/, reading(/\bgit:\s{0,20}"([^"]+)"/g, /\{:git,\s{0,20}"([^"]+)"/g)],
  [/(?:^|\/)pubspec\.(?:yaml|lock)$/, reading(/\burl:\s{0,20}["']?([^\s"']+)/g)],
  [
    /(?:^|\/)Package\.(?:swift|resolved)$/,
    reading(/\burl:\s{0,20}"([^"]+)"/g, /"location"\s{0,20}:\s{0,20}"([^"]+)"/g),
  ],
];

/** Where these send a fetch on to. */
const onwards: Readonly<Record<string, readonly string[]>> = {
  "github.com": ["codeload.github.com"],
  "api.github.com": ["codeload.github.com"],
};

export function namedIn(path: string, text: string): string[] {
  const found = forms.find(([form]) => form.test(path))?.[1](text) ?? [];
  return found.flatMap((host) => [host, ...(onwards[host.toLowerCase()] ?? [])]);
}
