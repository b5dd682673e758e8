// Where the page has its pages from: the server, or the data inside of a report. One interface for both.
import type {
  ChangeEvent,
  CoveragePage,
  MomentsPage,
  MoneyPage,
  Order,
  OrderReply,
  ProjectPage,
  ReportPage,
  RunPage,
  TaskPage,
  TimelinePage,
  TranscriptPage,
} from "../../src/page/model.ts";

export interface At {
  readonly run: string;
  /** A position of a replay. */
  readonly at?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface AtTask extends At {
  readonly task: string;
}

/** `cut` is tried again by itself; `over` needs a new address from the server. */
export type Line = "connecting" | "open" | "cut" | "over" | "inside";

export interface Listener {
  change(change: ChangeEvent): void;
  line(line: Line): void;
  /** Where another page of this browser stands (`plan-1@42,task-1@7`): what lies between is asked for. */
  level(seen: string): void;
}

export interface Source {
  /** A report is read only: nothing is sent, and it has no other moments. */
  readonly live: boolean;
  /** Of a report: when it was written, which is its present. */
  readonly writtenAt: string | null;
  /** Of a report: of how many tasks it has no details. */
  readonly leftOut: number;
  project(signal?: AbortSignal): Promise<ProjectPage>;
  run(at: At): Promise<RunPage>;
  task(at: AtTask): Promise<TaskPage>;
  timeline(at: At): Promise<TimelinePage>;
  money(at: At): Promise<MoneyPage>;
  coverage(at: At): Promise<CoveragePage>;
  report(at: At): Promise<ReportPage>;
  moments(at: At): Promise<MomentsPage>;
  transcript(at: AtTask & { readonly attempt: number; readonly after: number }): Promise<TranscriptPage>;
  order(run: string, order: Order): Promise<OrderReply>;
  /**
   * `seen` is asked when a line is opened: where each run stands on the screen (`plan-1@42,task-1@7`). Contract: what a listener
   * is given comes in the order of positions, for each run.
   */
  watch(listener: Listener, seen: () => string): void;
}

/** What a view shows when a page cannot be had. */
export class Missing extends Error {
  readonly hint: string | null;
  constructor(problem: string, hint: string | null = null) {
    super(problem);
    this.hint = hint;
  }
}

/** The server does not know this page any more. */
export class SessionOver extends Missing {
  constructor() {
    super("This page's session is over.", "Open the address that `heddle web` prints when it starts.");
  }
}
