import { readFileSync } from "node:fs";
import { defineConfig, type RolldownOptions } from "rolldown";
import { noticing } from "./scripts/notice.ts";
import { pageParts } from "./scripts/page.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

/** What nearly every command needs, in one file: each further file costs a one-shot command about a millisecond. */
const everyday =
  /src\/(core|journal)\/(?!verify|trial|postgres)|src\/engine\/(app|choose-run|open|paths|drift|refused|write-log|write-view)\.ts|src\/packs\/(load|packs|pack|[a-z]+\/pack)\.ts|src\/host\/(files|clock|programs)\.ts|src\/view\/(state-json|run-json|activity|safe|problem|hint)\.ts|src\/cli\/(main|perform|composition|about|find|explain|registry|commands\/state\/tasks)\.ts|src\/command\/(command|parse|out|terminal\/cancelled)\.ts|src\/protocols\/subject\.ts|src\/packs\/decomposition\/protocol\.ts/;

/**
 * `import … from "node:fs"` makes Node run every getter of that module, streams and promises included: a third of
 * a one-shot command's time (bench/start.ts). Taking just the names that are used from the built-in runs none.
 */
const plainBuiltins = {
  name: "plain-builtins",
  transform(code: string, id: string) {
    if (!id.includes("/src/")) return null;
    return code.replace(
      /^import (type )?\{([^}]*)\} from "(node:[a-z_/]+)";$/gm,
      (_, typeOnly, names: string, from) => {
        const used = names
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "" && !name.startsWith("type "));
        if (typeOnly || used.length === 0) return "";
        return `const { ${used.map((name) => name.replace(" as ", ": ")).join(", ")} } = process.getBuiltinModule("${from}");`;
      },
    );
  },
};

/** One character beyond Latin-1 makes V8 keep all of a file's source in twice the space, at every start. */
const plainText = {
  name: "plain-text",
  generateBundle(_: object, files: Record<string, { type: string; code?: string }>) {
    for (const file of Object.values(files)) {
      if (file.type !== "chunk" || file.code === undefined) continue;
      file.code = file.code.replace(
        /[^\u0000-\u007f]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
    }
  },
};

/** `main.js` does nothing but pass `main` on; the everyday file gives it itself, and a call has one file less to find. */
const frontDoor = {
  name: "front-door",
  generateBundle(_: object, files: Record<string, { type: string; code?: string }>) {
    const [, name] = /exports\.main=\w+\.(\w+)/.exec(files["main.js"]?.code ?? "") ?? [];
    const everydayFile = files["everyday.js"];
    if (!name || !everydayFile) throw new Error("main.js does not pass main on from everyday.js");
    everydayFile.code += `;exports.main=exports.${name};`;
  },
};

/** Three outputs: the command line, the library and the page. */
const notice = noticing(3);

const shared: RolldownOptions = {
  plugins: [plainBuiltins, plainText, notice],
  platform: "node",
  // jsonc-parser keeps its ES modules under "module"; its "main" cannot be bundled.
  resolve: { mainFields: ["module", "main"] },
  transform: { define: { HEDDLE_VERSION: JSON.stringify(version) } },
};

export default defineConfig([
  {
    ...shared,
    plugins: [plainBuiltins, plainText, frontDoor, notice],
    input: {
      heddle: "src/cli/entry.ts",
      main: "src/cli/main.ts",
      "start-again": "src/cli/start-again.ts",
      "single-file": "src/cli/single-file.ts",
    },
    output: {
      dir: "dist",
      // V8's code cache is for scripts (`src/cli/compiled.ts`).
      format: "cjs",
      minify: true,
      cleanDir: true,
      externalLiveBindings: false,
      chunkFileNames: ({ name }) => (name === "everyday" ? "everyday.js" : "[name]-[hash].js"),
      codeSplitting: { groups: [{ name: "everyday", test: everyday }] },
    },
  },
  {
    ...shared,
    input: { index: "src/index.ts" },
    output: {
      dir: "dist",
      format: "esm",
      minify: true,
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name]-[hash].mjs",
    },
  },
  {
    input: { page: "page/main.tsx" },
    platform: "browser",
    // A report has it inside of an HTML file, where anything beyond ASCII would depend on that file's encoding.
    plugins: [plainText, pageParts, notice],
    tsconfig: "page/tsconfig.json",
    output: { dir: "dist/page", format: "iife", minify: true, entryFileNames: "[name].js" },
  },
]);
