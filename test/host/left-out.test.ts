// What nobody meant to hand in is left out of the tree, with or without a .gitignore, unless it is tracked or declared.
import { describe, expect, it } from "vitest";
import { attempt, good, look, open, put, repositoryWith } from "./git-rig.ts";

const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n";

describe("the tree of an attempt", () => {
  it("L12 X21 leaves out dependencies, environments, caches, build results, `.env` and keys, and says so", async () => {
    const repo = await open(repositoryWith({ "package.json": "{}", "vendor/dist/kept.js": "1\n" }));
    const work = await attempt(repo);
    put(work.folder, {
      "src/a.js": "1\n",
      "node_modules/x/index.js": "1\n",
      "dist/a.js": "1\n",
      "src/__pycache__/a.pyc": "1\n",
      "env/pyvenv.cfg": "home = /usr\n",
      "env/lib/x.py": "1\n",
      ".env": "TOKEN=1\n",
      ".env.local": "TOKEN=1\n",
      ".env.example": "TOKEN=\n",
      "server.pem": key,
      "public.pem": "-----BEGIN CERTIFICATE-----\n",
      "deploy/id_ed25519": key,
      "vendor/dist/more.js": "1\n",
      "docs/dist/page.html": "<p>\n",
    });
    const { changes, leftOut } = good(await look(work, { declared: [".env.local"] }));
    expect(changes.map(({ path }) => path).sort()).toEqual([
      ...[
        ".env.example",
        ".env.local",
        "docs/dist/page.html",
        "public.pem",
        "src/a.js",
        "vendor/dist/more.js",
      ],
    ]);
    expect([...leftOut].sort()).toEqual([
      ...[".env", "deploy/id_ed25519", "dist/", "env/", "node_modules/", "server.pem", "src/__pycache__/"],
    ]);
  });

  it("L12 X21 leaves out a lock file that a build wrote, unless it is declared or the project keeps one", async () => {
    const locks = { "Cargo.lock": "1\n", "uv.lock": "1\n", "package-lock.json": "{}\n" };
    const without = await attempt(await open(repositoryWith({ "Cargo.toml": "[package]\n" })));
    put(without.folder, locks);
    const seen = good(await look(without, { declared: ["uv.lock"] }));
    expect(seen.changes.map(({ path }) => path).sort()).toEqual(["package-lock.json", "uv.lock"]);
    expect(seen.leftOut).toEqual(["Cargo.lock"]);
    const keeping = await attempt(
      await open(repositoryWith({ "Cargo.toml": "[package]\n", "Cargo.lock": "0\n" })),
    );
    put(keeping.folder, { "Cargo.lock": "1\n" });
    const { changes, leftOut } = good(await look(keeping));
    expect([changes.map(({ path }) => path), leftOut]).toEqual([["Cargo.lock"], []]);
  });

  it("L12 X21 refuses a file that Git LFS keeps, and takes its pointer", async () => {
    const repo = await open(repositoryWith({ ".gitattributes": "*.bin filter=lfs -text\n" }));
    const work = await attempt(repo);
    put(work.folder, {
      "a.bin": `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 3\n`,
    });
    expect(good(await look(work)).changes).toHaveLength(1);
    put(work.folder, { "b.bin": "the file itself" });
    expect(await look(work)).toMatchObject({
      code: "scope",
      message: "`b.bin` is kept by Git LFS, and heddle does not store files there",
    });
  });
});
