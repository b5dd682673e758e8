import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellWords } from "../../src/packs/decomposition/checks/shell-words.ts";

const expansion = `$${"{"}x#'a}'}`;

describe("shellWords", () => {
  it.each([
    ["npm test", ["npm", "test"]],
    ["  a\t'b c'  \"d 'e'\" ", ["a", "'b c'", "\"d 'e'\""]],
    ['echo "$(date "+%s")" x', ["echo", '"$(date "+%s")"', "x"]],
    ["test $((1 + (2))) -eq 3", ["test", "$((1 + (2)))", "-eq", "3"]],
    ["(cd src && make) || exit 1", ["(cd src && make)", "||", "exit", "1"]],
    ["echo $'it\\'s' `ls \"a b\"`", ["echo", "$'it\\'s'", '`ls "a b"`']],
    [`echo ${expansion} # it's fine`, ["echo", expansion]],
    ["grep a\\ b f", ["grep", "a\\ b", "f"]],
    ["cat <<EOF\nit's text\nEOF", ["cat", "<<EOF"]],
    ["cat <<<'it'", ["cat", "<<<'it'"]],
    ["case x in a) true;; esac", ["case", "x", "in", "a)", "true;;", "esac"]],
  ])("D10 reads %j", (command, words) => {
    expect(shellWords(command)).toEqual({ words });
  });

  it.each([
    ["", "holds no command"],
    [" \n ", "holds no command"],
    ["# check by hand", "holds no command"],
    ["echo 'it", "has an unclosed `'`"],
    ['echo "it', 'has an unclosed `"`'],
    ["echo $(date", "has an unclosed `$(`"],
    ['echo "$(date"', 'has an unclosed `"`'],
    ["echo ${x", "has an unclosed `${`"],
    ["echo `date", "has an unclosed ```"],
    ["(cd x", "has an unclosed `(`"],
    ["echo \\", "ends with a backslash"],
    ["npm test &&", "ends with `&&`"],
    ["| grep x", "begins with `|`"],
    ["cat <<<'it", "has an unclosed `'`"],
  ])("D10 refuses %j", (command, fault) => {
    expect(shellWords(command)).toMatchObject({ fault });
  });

  it("D10 never throws, and words are parts of the command", () => {
    const unit = fc.constantFrom(..."ab '\"`$(){}\\<#\n|&;");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (command) => {
        const read = shellWords(command);
        if ("words" in read) for (const word of read.words) expect(command).toContain(word);
      }),
    );
  });

  it("D10 reads any words that are quoted properly", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (words) => {
        const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
        expect(shellWords(quoted.join(" "))).toEqual({ words: quoted });
      }),
    );
  });
});
