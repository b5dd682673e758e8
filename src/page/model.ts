// What the page shows, as plain JSON: the server makes it from a run at a position, the client draws it, and the report is the
// same with the data inside one file. Words, times and amounts are those of the terminal; an unknown amount is null.
import type { Stage, TaskId, TaskStatus } from "../core/run.ts";
import type { ReportSummary } from "../view/report/summary.ts";
import type { PlaceRow } from "./places.ts";

/**
 * `POST /api/session` with the token of the link's fragment (`#t=…`, good once) sets the cookie and answers with a key. The page
 * keeps the key in `localStorage` and sends it with every request as the header `x-heddle-key` (`GET /api/events?key=…`, because
 * an EventSource has no headers): browsers send cookies to every port of a host, and so to the servers of agents; a key
 * belongs to one port alone. Any answer of the API that is not 200 is `{ ok: false, problem, hint }`; 401 asks for another link.
 */
export interface SessionRequest {
  readonly token: string;
}

export interface SessionReply {
  readonly key: string;
}

/** `GET /api/project` */
export interface ProjectPage {
  readonly name: string;
  readonly root: string;
  readonly version: string;
  /** Active ones first, then the newest. */
  readonly runs: readonly RunEntry[];
  /** Of all active runs, oldest first. */
  readonly inbox: readonly InboxItem[];
}

export interface RunEntry {
  readonly id: string;
  readonly protocol: string;
  /** What it is about, in a person's words. */
  readonly title: string;
  readonly phase: string;
  readonly position: number;
  readonly archived: boolean;
  readonly standing: Standing;
  readonly needsYou: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type Standing = "working" | "waiting" | "halted" | "stopped" | "done";

/** What needs a person. */
export interface InboxItem {
  readonly run: string;
  readonly id: string;
  readonly kind: "question" | "approval" | "halt" | "budget" | "agent" | "view";
  readonly task: TaskId | null;
  readonly since: string;
  /** One line, and what more there is to know: notes, findings, what differs. */
  readonly title: string;
  readonly text: string;
  /** What the asker thought of; free text is always allowed with `answer`. */
  readonly options: readonly string[];
  readonly actions: readonly Action[];
}

/** Something that can be done here. It is sent back as `Order`. */
export interface Action {
  readonly do: OrderKind;
  readonly label: string;
  /** Words that must, may or need not come with it. */
  readonly words: "required" | "optional" | "none";
  /** What the words are: an answer, a reason, advice. */
  readonly asks?: string;
  /** It throws work away, or overrides a check: it is asked for twice. */
  readonly grave?: boolean;
  /** A command that does the same in the terminal. */
  readonly command?: string;
  /** Sent back as they are, where they are there: the task that it is about, and the phase that an override goes to. */
  readonly task?: TaskId;
  readonly to?: string;
  /** What the words begin with, and that they are a document: why it is changed may be said beside it. */
  readonly text?: string;
  /** Of `raise-budget`: what is offered, in dollars. */
  readonly amountUsd?: number;
}

export type OrderKind =
  | "answer"
  | "accept"
  | "revise"
  | "override"
  | "halt"
  | "resume"
  | "raise-budget"
  | "retry"
  | "skip"
  | "undo"
  | "edit"
  | "split"
  | "repair-view"
  | "adopt-view"
  | "comment";

/** `POST /api/runs/:run/orders` */
export interface Order {
  readonly do: OrderKind;
  readonly task?: TaskId;
  /** The inbox item or question that it is about. */
  readonly id?: string;
  readonly words?: string;
  /** Why, where the words are a document. */
  readonly reason?: string;
  readonly amountUsd?: number;
  readonly to?: string;
  /** Of a comment on a line of a diff. */
  readonly at?: { readonly path: string; readonly line: number };
  /** The position that the person saw: an order about something that has changed since is refused. */
  readonly seen: number;
}

/** Its answer: 200, or 409 and 422 with what stands in the way. */
export type OrderReply =
  | { readonly ok: true; readonly position: number; readonly said: string }
  | { readonly ok: false; readonly problem: string; readonly hint: string | null };

/** `GET /api/runs/:run?at=POSITION` */
export interface RunPage {
  readonly id: string;
  readonly protocol: string;
  readonly title: string;
  /** Of what is shown, and the last one there is: they differ in a replay. */
  readonly position: number;
  readonly last: number;
  readonly at: string;
  readonly standing: Standing;
  /** Why it has stopped, and the command that continues it. */
  readonly stopped: { readonly why: string; readonly command: string | null } | null;
  readonly phase: string;
  readonly phases: readonly PhaseRow[];
  readonly round: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly targetDir: string;
  readonly counts: Readonly<Record<TaskStatus, number>>;
  readonly unverified: number;
  readonly usage: Amount;
  readonly inbox: readonly InboxItem[];
  readonly actions: readonly Action[];
  /** Tasks of a plan or mission; none of a run about documents. */
  readonly tasks: readonly TaskRow[];
  /** Of the critical path, first to last. */
  readonly critical: readonly TaskId[];
  /** Of plans that others replaced; `id` of such a row is what its page is asked for by. */
  readonly earlier?: readonly EarlierRow[];
  readonly documents: readonly DocumentRow[];
  readonly actors: readonly ActorRow[];
  /** Who drives it, and where it is worked on. */
  readonly places?: readonly PlaceRow[];
  readonly landed: { readonly commit: string; readonly at: string } | null;
  /** What every view of the run must say: that agents run without a sandbox, what was not verified, what the base says. */
  readonly notices?: readonly string[];
}

export interface PhaseRow {
  readonly name: string;
  readonly state: "done" | "current" | "ahead";
  readonly detail: string | null;
}

/** A task as board and graph need it: 10,000 of these are one answer. */
export interface TaskRow {
  readonly id: TaskId;
  readonly name: string;
  readonly phase: number;
  readonly status: TaskStatus;
  readonly done: "claimed" | "verified" | "adopted" | null;
  readonly stage: Stage | null;
  readonly dependsOn: readonly TaskId[];
  readonly steel: boolean;
  readonly tags: readonly string[];
  readonly agent: string | null;
  /** Where it is worked on, when that is another machine. */
  readonly machine?: string;
  readonly attempts: number;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly costUsd: number | null;
}

export interface EarlierRow {
  readonly id: string;
  /** `1.0`, and the task's id there, which a task of the present plan may have, too. */
  readonly plan: string;
  readonly task: TaskId;
  readonly name: string;
  readonly status: "complete" | "skipped";
}

/** A document of the run: a specification, a verdict, findings. */
export interface DocumentRow {
  readonly name: string;
  readonly path: string;
  readonly state: string;
  readonly valid: boolean;
  readonly problems: readonly string[];
  readonly at: string | null;
  /** A verdict with its reasons, findings: line by line. */
  readonly said?: readonly string[];
}

export interface ActorRow {
  readonly name: string;
  readonly status: string;
  readonly attempts: number;
  readonly problems: readonly string[];
}

export interface Amount {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
  readonly unknownCosts: number;
  readonly budgetUsd: number | null;
}

/** `GET /api/runs/:run/tasks/:task?at=POSITION` */
export interface TaskPage {
  readonly row: TaskRow;
  readonly description: string | null;
  readonly files: readonly { readonly path: string; readonly action: string }[];
  readonly neededBy: readonly TaskId[];
  readonly why: readonly string[];
  readonly command: string | null;
  /** Of a plan that another one replaced: which. */
  readonly plan: string | null;
  /** How it is done, in a sentence; from the first attempt's beginning to the end, waiting included. */
  readonly outcome: string;
  readonly ms: number | null;
  /** That it changed files which decide how it is judged, and what a verifier said of it. */
  readonly notes: readonly string[];
  readonly criteria: readonly CriterionRow[];
  readonly attempts: readonly AttemptRow[];
  readonly diff: DiffPage | null;
  readonly usage: Amount;
  readonly history: readonly HistoryRow[];
  readonly comments: readonly CommentRow[];
  readonly actions: readonly Action[];
}

export interface CriterionRow {
  readonly criterion: string;
  readonly command: string;
  readonly result: "passed" | "failed" | "not-run" | "excused";
  readonly exit: number | null;
  readonly ms: number | null;
  readonly tree: string | null;
  readonly note: string | null;
  /** The end of what it printed, and the files that have all of it: a red command often says on one stream what failed and on the other why. */
  readonly output: string | null;
  readonly logs: readonly string[];
}

export interface AttemptRow {
  readonly number: number;
  readonly agent: string | null;
  /** Where it was worked on, when that was another machine. */
  readonly machine?: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly outcome: "running" | "complete" | "failed" | "lost" | "paused";
  /** Of a failure: its kind. */
  readonly category: string | null;
  readonly error: string | null;
  readonly stages: readonly { readonly stage: string; readonly ms: number }[];
  /** What its agent said that it did: `success: 2 created, 1 modified`. */
  readonly claim: string | null;
  readonly differences: readonly string[];
  /** What it asked for over its socket and did not get, and the last lines that it logged. */
  readonly refused: readonly string[];
  readonly logged: readonly { readonly level: string; readonly text: string }[];
  readonly checks: readonly CriterionRow[];
  /** `GET …/attempts/:number/transcript?after=LINE` has lines. */
  readonly transcript: boolean;
  readonly diff: DiffPage | null;
}

export interface DiffPage {
  readonly files: readonly { readonly path: string; readonly added: number; readonly removed: number }[];
  /** As git writes it, cut to size. */
  readonly text: string;
  readonly cut: boolean;
}

export interface HistoryRow {
  readonly position: number;
  readonly at: string;
  readonly by: string;
  readonly text: string;
}

export interface CommentRow {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly by: string;
  readonly at: string;
}

/** `GET /api/runs/:run/tasks/:task/attempts/:number/transcript?after=LINE` */
export interface TranscriptPage {
  readonly lines: readonly { readonly kind: string; readonly text: string }[];
  readonly next: number;
  readonly live: boolean;
}

/** `GET /api/runs/:run/timeline?at=POSITION` */
export interface TimelinePage {
  readonly from: string;
  readonly to: string;
  /** One row each; attempts of one seat do not overlap. */
  readonly seats: readonly { readonly name: string; readonly bars: readonly Bar[] }[];
  readonly marks: readonly { readonly at: string; readonly kind: string; readonly text: string }[];
}

export interface Bar {
  readonly task: TaskId | null;
  readonly attempt: number;
  readonly label: string;
  readonly from: string;
  readonly to: string | null;
  readonly outcome: AttemptRow["outcome"];
  readonly stages: readonly { readonly stage: string; readonly from: string; readonly to: string | null }[];
  readonly estimateHours: number | null;
}

/** `GET /api/runs/:run/money?at=POSITION` */
export interface MoneyPage {
  readonly total: Amount;
  readonly byRole: readonly MoneyRow[];
  readonly byAgent: readonly MoneyRow[];
  readonly byTask: readonly MoneyRow[];
  readonly byDay: readonly MoneyRow[];
}

export interface MoneyRow extends Omit<Amount, "budgetUsd"> {
  readonly name: string;
  readonly calls: number;
}

/** `GET /api/runs/:run/coverage?at=POSITION`: each requirement, who covers it, and what is proven of it. */
export interface CoveragePage {
  readonly specification: string | null;
  readonly requirements: readonly {
    readonly id: string;
    readonly text: string;
    readonly tasks: readonly TaskId[];
    readonly evidence: "proven" | "claimed" | "failed" | "open" | "uncovered";
    readonly detail: string | null;
  }[];
}

/** `GET /api/runs/:run/moments`: what the replay's slider stops at. */
export interface MomentsPage {
  readonly last: number;
  readonly moments: readonly { readonly position: number; readonly at: string; readonly text: string }[];
}

/**
 * `GET /api/events?seen=ID`: an event `change`, whose id is `run@position` of every run that is not archived, separated by commas
 * (`plan-1@42,task-1@7`). `Last-Event-ID`, or `seen` at the first time, says from where on it is told; without either it begins
 * with where each run stands. `: beat` comments come every 20 seconds.
 */
export interface ChangeEvent {
  readonly run: string;
  readonly position: number;
  /**
   * `tasks` are all rows that changed after this position: a page that is at an earlier one asks for the whole again. One at the page's
   * own position tells what lies beside the journal and writes nothing: an orchestrator that was killed, a view that was edited.
   */
  readonly since: number;
  /** All of the page but its tasks, and those rows alone that changed; `tasks: null` asks for the whole page again. */
  readonly page: Omit<RunPage, "tasks">;
  readonly tasks: readonly TaskRow[] | null;
}

/** `GET /api/runs/:run/report?at=POSITION`: the run as a whole, in the words that every report has. */
export type ReportPage = ReportSummary;

/** What a report has inside. */
export interface ReportData {
  readonly writtenAt: string;
  readonly project: ProjectPage;
  readonly run: RunPage;
  readonly report: ReportPage;
  readonly tasks: Readonly<Record<TaskId, TaskPage>>;
  /** So many of the tasks have no details in it: they would make it too large to open. */
  readonly leftOut: number;
  readonly timeline: TimelinePage;
  readonly money: MoneyPage;
  readonly coverage: CoveragePage | null;
}
