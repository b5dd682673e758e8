// Prints how good the diagnoses are on the corpus, and what was missed or made up: node test/tuning/measure.ts [half]
import { entries, judge, quality, table } from "./corpus.ts";

const [half] = process.argv.slice(2);
const judged = entries()
  .filter((entry) => half === undefined || entry.half === half)
  .map(judge);
for (const { path, missed, extra } of judged) {
  for (const { pattern, file, near } of missed) console.log(`missed   ${path}/${file} ${pattern}: ${near}`);
  for (const { pattern, file, line, severity, description } of extra)
    console.log(`made up  ${path}/${file}:${line} ${severity} ${pattern}: ${description}`);
}
console.log(`${judged.length} skills, ${judged.filter(({ defects }) => defects.length === 0).length} clean`);
console.log(table(quality(judged)));
