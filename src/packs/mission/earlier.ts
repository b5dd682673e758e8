// What earlier plans of the same phase came to (M11). A gap plan replaces the tasks of the run; what was done and promised
// before it is carried along in what is recorded of the plan, so the journal alone knows it, whatever becomes of the archive.
import type { EarlierTask } from "../../core/protocol.ts";
import type { Json, Run, Task } from "../../core/run.ts";
import { currentPhase } from "./subjects.ts";

export interface MustHave {
  readonly truth: string;
  readonly evidence_required: string;
}

export interface EarlierPlan {
  /** Its folder in the archive is `plan-<name>`. */
  readonly name: string;
  readonly must_haves: readonly MustHave[];
  readonly tasks: readonly EarlierTask[];
}

type Known = Pick<Run, "artifacts">;

/** Oldest first. */
export function earlierPlans({ artifacts: { plan } }: Known): readonly EarlierPlan[] {
  const { earlier } = plan?.content ?? {};
  return Array.isArray(earlier) ? (earlier as unknown as readonly EarlierPlan[]) : [];
}

export const earlierTasks = (run: Known) => earlierPlans(run).flatMap(({ tasks }) => tasks);

/** Of the plan that is there; nothing when it was recorded before plans were recorded with it. */
function ownMustHaves({ artifacts: { plan } }: Known): readonly MustHave[] {
  const { must_haves: known } = plan?.content ?? {};
  return Array.isArray(known) ? (known as unknown as readonly MustHave[]) : [];
}

/** Everything that must be true when the phase is over, each once. `present`: of the plan's file, where that is known. */
export function mustHavesOf(run: Known, present: readonly MustHave[] = ownMustHaves(run)): MustHave[] {
  const all = [...earlierPlans(run).flatMap((each) => each.must_haves), ...present];
  return [...new Map(all.map((each) => [plain(each.truth), each])).values()];
}

const plain = (text: string) => text.trim().replace(/\s+/g, " ");

export interface Following {
  /** The digests of its tasks, by id: what is in both plans is not of the past. */
  readonly digests: ReadonlyMap<string, string>;
  /** Of the plan that is replaced, as its file has them. */
  readonly mustHaves?: readonly MustHave[];
}

/** The plan that another one replaces; nothing when nothing of it was done and nobody judged it. */
export function replacedPlan(run: Run, { digests, mustHaves }: Following): EarlierPlan | undefined {
  const { plan, verification } = run.artifacts;
  const { generation } = plan?.content ?? {};
  if (!plan || typeof generation !== "string" || !isOfPhase(run, generation)) return undefined;
  const name = unused(generation, new Set(earlierPlans(run).map((each) => each.name)));
  const tasks = [...run.tasks.all()]
    .filter(({ def, state }) => isOver(state) && digests.get(def.id) !== def.digest)
    .map((task) => asEarlier(name, task));
  const isJudged = verification?.valid === true && verification.inputs.plan === plan.digest;
  if (tasks.length === 0 && !isJudged) return undefined;
  const own = ownMustHaves(run);
  return { name, must_haves: own.length > 0 ? own : (mustHaves ?? []), tasks };
}

/** What is recorded with a plan that takes the present one's place. An edit of the present one leaves it as it is. */
export function carried(run: Run, following: Following): Json {
  const { generation } = run.artifacts.plan?.content ?? {};
  if (typeof generation !== "string" || !isOfPhase(run, generation)) return [];
  const replaced = replacedPlan(run, following);
  return [...earlierPlans(run), ...(replaced ? [replaced] : [])] as unknown as Json;
}

/** The present plan's, whose file a person changed. */
export const kept = (run: Run): Json => earlierPlans(run) as unknown as Json;

const isOver = (state: Task["state"]) => state === "complete" || state === "skipped";

/** `2.1`: the second plan of phase 2. */
const isOfPhase = (run: Run, generation: string) => generation.split(".")[0] === String(currentPhase(run));

function unused(generation: string, names: ReadonlySet<string>): string {
  let name = generation;
  for (let n = 2; names.has(name); n++) name = `${generation}-${n}`;
  return name;
}

function asEarlier(plan: string, task: Task): EarlierTask {
  const { def, state, commit, created, modified, skipReason, attempts, evidence } = task;
  return {
    plan,
    id: def.id,
    name: def.name,
    state: state === "complete" ? "complete" : "skipped",
    reason: skipReason,
    command: def.criteria[0]?.command ?? "",
    ...{ commit, created, modified, attempts, evidence },
  };
}
