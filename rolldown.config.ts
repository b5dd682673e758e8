import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

/** What nearly every command needs, in one file: each further file costs a one-shot command about a millisecond. */
const everyday =
  /src\/(core|journal)\/(?!verify)|src\/effects\/write-|src\/engine\/(app|open|paths|drift|protocols)\.ts|src\/host\/(files|clock)\.ts|src\/view\/(state-json|activity|safe|problem)\.ts|src\/cli\/(main|parse|command|out|registry|commands\/state-tasks)\.ts|src\/protocols\/decomposition\/protocol\.ts/;

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

export default defineConfig({
  plugins: [plainBuiltins],
  input: { heddle: "src/cli/entry.ts", index: "src/index.ts" },
  platform: "node",
  // jsonc-parser keeps its ES modules under "module"; its "main" cannot be bundled.
  resolve: { mainFields: ["module", "main"] },
  output: {
    dir: "dist",
    format: "esm",
    minify: true,
    cleanDir: true,
    chunkFileNames: "[name]-[hash].js",
    advancedChunks: { groups: [{ name: "everyday", test: everyday }] },
  },
  transform: { define: { HEDDLE_VERSION: JSON.stringify(version) } },
});
