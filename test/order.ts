// The order of the test files: those that take longest first, so that none of them is what all others wait for at the end.
// A name that is missing here, or too early, costs a few seconds and nothing else.
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const longest = `
  mission/branches execute/misbehaving lifecycle/kill-ends mission/session lifecycle/failures
  simulation/simulation plan/kill-phases execute/recovery execute/verify execute/setup surfaces/undo
  execute/limited state/host-loop tuning/loop execute/whole mission/hand-over examples/demo page/page
  lifecycle/ends execute/baseline execute/inside e2e/disk lifecycle/kill mcp/execute mission/checkpoints
  mcp/inside mission/kill tuning/agents surfaces/doctor e2e/bad-files mission/begin host/run host/survivors
  e2e/kill mission/final-tree e2e/concurrency execute/run state/documents host/git-kill plan/kill
  lifecycle/words e2e/bad-input examples/notes state/completion execute/settings e2e/views host/workspace
  artifacts/speed plan/misbehaving host/sandbox tuning/check execute/idle state/model surfaces/live execute/kill
  plan/inputs execute/landing state/backup repl/window plan/limits mcp/protocol execute/claims host/land
  protocols/own execute/target surfaces/attach host/integrate lifecycle/next page/beside repl/plain state/hosts
  mcp/host
`
  .trim()
  .split(/\s+/);

const places = new Map(longest.map((name, at) => [join(import.meta.dirname, `${name}.test.ts`), at]));
const placeOf = ({ moduleId }: TestSpecification) => places.get(moduleId) ?? longest.length;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
