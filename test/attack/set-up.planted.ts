// What each defence of `set-up.attack.ts` is there for.
import type { Planted } from "./planted.ts";

const by = (title: string) => ["set-up", title] as const;

export const planted: readonly Planted[] = [
  {
    name: "links that lead out stay in set-up's copy",
    file: "src/work/set-up/make.ts",
    from: "  await cutLinks(repository, { folder: files, index });\n",
    to: "",
    caughtBy: by("a link that stays inside the repository"),
  },
  {
    name: "what set-up made replaces what the tree has",
    file: "src/work/set-up/lay.ts",
    from: "if (!isThereItself(to)) {",
    to: "if (!isThereItself(to) || !isPlainFolder(from)) {",
    caughtBy: by("is never laid over what the tree has"),
  },
  {
    name: "set-up is laid through a link of the tree's",
    file: "src/work/set-up/lay.ts",
    from: "if (!isPlainFolder(at)) return false;",
    to: "",
    caughtBy: by("is never laid over what the tree has"),
  },
  {
    name: "an attempt's set-up goes into everybody's cache",
    file: "src/work/set-up/provide.ts",
    from: "kept: join(attempt.folder, key)",
    to: "kept: join(cache, key)",
    caughtBy: by("is an attempt's own while its tree is not merged"),
  },
  {
    name: "the key covers manifests alone",
    file: "src/work/set-up/key.ts",
    from: "if (!texts || !isData({ commands, inputs, texts })) return undefined;",
    to: "if (!texts || (commands && !isData({ commands, inputs, texts }))) return undefined;",
    caughtBy: by("covers what is read"),
  },
  {
    name: "install scripts are data",
    file: "src/work/set-up/plain-manifests.ts",
    from: "if (Object.keys(fieldsOf(scripts)).some((name) => installScripts.test(name))) return false;",
    to: "",
    caughtBy: by("covers what is read: what an install script runs"),
  },
  {
    name: "a changed set-up has the network of everybody's",
    file: "src/work/set-up/provide.ts",
    from: "within: attempt.network",
    to: "within: true",
    caughtBy: by("whose agent has no network has none"),
  },
  {
    name: "an attempt opens a host by writing its name",
    file: "src/work/set-up/make.ts",
    from: "const named = changed ?",
    to: "const named = changed && false ?",
    caughtBy: by("opens no host by naming it"),
  },
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is text of the sources.
  {
    name: "two who make the same share a name",
    file: "src/work/set-up/make.ts",
    from: '`${kept}.${process.pid}-${randomBytes(6).toString("hex")}.new`',
    to: "`${kept}.new`",
    caughtBy: by("made by two at once"),
  },
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: until here
];
