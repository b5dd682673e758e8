import { describe, expect, it } from "vitest";
import { outdatedSchemas, schemaFiles } from "../../scripts/schemas.ts";

describe("schemas/", () => {
  it("D6 D8 D9 D11 holds what the code says; else run `node scripts/schemas.ts`", () => {
    expect(outdatedSchemas()).toEqual([]);
  });

  it.each([...schemaFiles()])("names %s fully", (_, content) => {
    expect(JSON.parse(content)).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: expect.stringMatching(/^urn:heddle:schema:/),
      title: expect.any(String),
      description: expect.any(String),
      type: "object",
    });
  });
});
