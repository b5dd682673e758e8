// Addresses: every view has one, behind the `#`, so that a link can be sent and a report works from a file. Pure.

export type RunView = "overview" | "board" | "graph" | "timeline" | "money" | "plan" | "report";
export const runViews: readonly RunView[] = [
  ...(["overview", "board", "graph", "timeline", "money", "plan", "report"] as const),
];

export type Query = Readonly<Record<string, string>>;

export type Route =
  | { readonly at: "runs"; readonly query: Query }
  | { readonly at: "inbox"; readonly query: Query }
  | { readonly at: "run"; readonly run: string; readonly view: RunView; readonly query: Query }
  | { readonly at: "task"; readonly run: string; readonly task: string; readonly query: Query }
  | { readonly at: "nowhere"; readonly query: Query };

export function routeOf(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#/, "").split("?", 2);
  const query = Object.fromEntries(new URLSearchParams(search));
  const [first, run, view, task, ...more] = path.split("/").filter(Boolean).map(decoded);
  if (first === undefined) return { at: "runs", query };
  if (first === "inbox" && run === undefined) return { at: "inbox", query };
  if (first !== "run" || run === undefined || more.length > 0) return { at: "nowhere", query };
  if (view === "task" && task !== undefined) return { at: "task", run, task, query };
  const known = runViews.find((each) => each === (view ?? "overview"));
  return known && task === undefined ? { at: "run", run, view: known, query } : { at: "nowhere", query };
}

/** A broken escape is shown as it was typed. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function hrefOf(route: Route): string {
  const { query } = route;
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return `#${pathOf(route)}${search}`;
}

function pathOf(route: Route): string {
  switch (route.at) {
    case "runs":
    case "nowhere":
      return "/";
    case "inbox":
      return "/inbox";
    case "run":
      return `/run/${encodeURIComponent(route.run)}${route.view === "overview" ? "" : `/${route.view}`}`;
    case "task":
      return `/run/${encodeURIComponent(route.run)}/task/${encodeURIComponent(route.task)}`;
  }
}

/** The moment that a replay shows; undefined shows the present. */
export function momentOf({ query }: Route): number | undefined {
  const at = Number(query.at);
  return query.at !== undefined && Number.isInteger(at) && at >= 0 ? at : undefined;
}

/** What of an address goes along from one view of a run to the next. */
export const kept = ({ query }: Route): Query => (query.at === undefined ? {} : { at: query.at });

/** `#t=TOKEN`, and where to go afterwards: `#t=TOKEN&to=/run/plan-1`. */
export function tokenOf(hash: string): { readonly token: string; readonly to: string } | null {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const [token, to] = [given.get("t"), given.get("to") ?? "/"];
  return token === null ? null : { token, to: to.startsWith("/") ? to : "/" };
}
