import { describe, expect, it } from "vitest";
import { checkPhysicalMap } from "../../src/packs/decomposition/checks/check-physical-map.ts";
import { codes, fileOf, physicalMap } from "./samples.ts";

type Map = ReturnType<typeof physicalMap>;
const behaviours = new Set(["B1", "B2", "B3"]);
const present = new Set(["src/cart.ts"]);

function problemsOf(change: (map: Map) => void) {
  const map = physicalMap();
  change(map);
  const exists = (path: string) => present.has(path);
  return checkPhysicalMap({ ...fileOf(map), behaviours, exists, targetDir: "/work/shop/" }).problems;
}

describe("checkPhysicalMap", () => {
  it("D8 warns of files without layer or purpose, and of api and domain files without tests", () => {
    const map = physicalMap();
    const [login, session] = map.file_mapping;
    Object.assign(login ?? {}, { tests: [] });
    Object.assign(session?.files[0] ?? {}, { layer: "data", purpose: "keeps it" });
    const { problems, warnings } = checkPhysicalMap({ ...fileOf(map), behaviours, exists: () => true });
    expect(codes(problems)).toContain("file-exists");
    expect(warnings).toMatchObject([
      { code: "no-tests", message: "behaviour `B1` has api or domain files and no tests" },
      {
        code: "vague-file",
        message: "`src/cart.ts` of behaviour `B3` has no layer and no purpose",
        place: { pointer: "/file_mapping/2/files/0", line: expect.any(Number) },
      },
    ]);
  });

  it("D8 refuses a path that a link leads out of the target", () => {
    const leadsOut = (path: string) => path === "Dockerfile";
    const exists = (path: string) => present.has(path);
    const { problems } = checkPhysicalMap({ ...fileOf(physicalMap()), behaviours, exists, leadsOut });
    expect(problems).toMatchObject([
      { code: "outside-target", place: { pointer: "/infrastructure/0/path" } },
    ]);
  });

  it("D8 accepts a map that is right", () => {
    expect(problemsOf(() => {})).toEqual([]);
  });

  it("D8 names behaviours without files and unknown ones", () => {
    const problems = problemsOf((map) => Object.assign(map.file_mapping[1] ?? {}, { behavior_id: "B22" }));
    expect(problems).toMatchObject([
      { code: "unmapped-behaviour", message: "behaviour `B2` has no files" },
      {
        code: "unknown-behaviour",
        place: { pointer: "/file_mapping/1/behavior_id" },
        hint: "did you mean `B2`?",
      },
    ]);
  });

  it.each([
    "/etc/passwd",
    "../other/a.ts",
    "src/../../a.ts",
    "src\\a.ts",
    "C:/a.ts",
    ".git/config",
    "vendor/.GIT/hooks/pre-commit",
    "src/",
    "./",
  ])("D8 refuses the path %j", (path) => {
    const problems = problemsOf((map) => Object.assign(map.infrastructure[0] ?? {}, { path }));
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: "outside-target",
        place: expect.objectContaining({ pointer: "/infrastructure/0/path" }),
      }),
    );
  });

  it.each(["", "  ", "src/\u001b[31m.ts", "src/\u202egnp.ts", "a\nb"])(
    "D8 refuses the path %j once",
    (path) => {
      const problems = problemsOf((map) => {
        Object.assign(map.infrastructure[0] ?? {}, { path });
        Object.assign(map.summary, { total_files: 4, files_to_create: 3 });
      });
      expect(codes(problems)).toEqual(["wrong-value"]);
    },
  );

  it.each([".github/workflows/ci.yml", "src/..a.ts", ".gitignore", "./src/x.ts", "docs/ü b.md"])(
    "D8 accepts the path %j",
    (path) => {
      expect(problemsOf((map) => Object.assign(map.infrastructure[0] ?? {}, { path }))).toEqual([]);
    },
  );

  it("D8 refuses to create a file that exists", () => {
    const problems = problemsOf((map) =>
      Object.assign(map.infrastructure[0] ?? {}, { path: "./src//cart.ts" }),
    );
    expect(codes(problems)).toContain("file-exists");
  });

  it("D8 refuses to change a file that neither exists nor is created", () => {
    const problems = problemsOf((map) =>
      Object.assign(map.cross_cutting[0]?.files[0] ?? {}, { action: "modify" }),
    );
    expect(problems).toContainEqual(
      expect.objectContaining({ code: "file-missing", message: expect.stringContaining("`src/log.ts`") }),
    );
  });

  it("D8 recounts the summary", () => {
    const problems = problemsOf((map) =>
      Object.assign(map.summary, {
        total_behaviors: 4,
        total_files: 6,
        files_to_create: 5,
        files_to_modify: 2,
      }),
    );
    expect(problems.map(({ hint }) => hint)).toEqual(["write 3", "write 5", "write 4", "write 1"]);
  });

  it("D8 refuses a map for another target", () => {
    expect(codes(problemsOf((map) => Object.assign(map, { target_dir: "/work/other" })))).toEqual([
      "wrong-target",
    ]);
  });
});
