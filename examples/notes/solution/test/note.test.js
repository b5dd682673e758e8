import assert from "node:assert/strict";
import { test } from "node:test";
import { Mistake } from "../src/failure.js";
import { makeNote, tagsOf } from "../src/note.js";

const moment = new Date("2026-03-01T09:30:00Z");

test("a note has an id, a text, its tags and the moment at which it was made", () => {
  assert.deepEqual(makeNote(7, "Call Ada #work", moment), {
    id: 7,
    text: "Call Ada #work",
    tags: ["work"],
    created: "2026-03-01T09:30:00.000Z",
  });
});

test("white space is dropped around the text and collapsed inside it", () => {
  assert.equal(makeNote(1, "  Buy\n\toat   milk ", moment).text, "Buy oat milk");
});

test("a note without any text is refused", () => {
  assert.throws(() => makeNote(1, " \n ", moment), new Mistake("a note needs some text"));
});

test("tags are in small letters, in the order of the text, each one once", () => {
  assert.deepEqual(tagsOf("#Work call Ada #idea, then #work again"), ["work", "idea"]);
});

test("a # inside a word or alone makes no tag", () => {
  assert.deepEqual(tagsOf("C# is not F#minor, and # is nothing"), []);
});

test("tags may be in any language", () => {
  assert.deepEqual(tagsOf("#Küche #買い物"), ["küche", "買い物"]);
});
