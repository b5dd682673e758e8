// The repository that everybody shares and no power cut harms: commits, trees, and one branch that is moved by
// compare-and-swap. A tree is the set of changes in it, so that two ways to the same set give the same tree. Whether two
// changes clash is a matter of the seed: in their text (the merge conflicts) or in their meaning (the checks are red).
import type { Candidate, Work } from "../../src/core/run-parts.ts";

export interface Commit {
  readonly id: string;
  readonly parent: string | null;
  readonly tree: string;
  /** `T001#2`, or something of somebody else's. */
  readonly changes: readonly string[];
}

export const startOfBranch = "main";

export class Git {
  tip = startOfBranch;
  /** What each attempt began from, as the run recorded it, and what it left in its workspace. */
  readonly bases = new Map<string, string>();
  readonly works = new Map<string, Work>();
  /** Changes that a person reverted. */
  readonly takenBack = new Set<string>();
  /** How likely two changes clash; none do once there are no more faults. */
  clashes = { text: 0, meaning: 0 };
  readonly #seed: number;
  readonly #commits = new Map<string, Commit>();
  readonly #trees = new Map<string, string>();
  readonly #green = new Map<string, string>();
  #count = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#commits.set(startOfBranch, {
      id: startOfBranch,
      parent: null,
      tree: this.#treeOf([]),
      changes: [],
    });
  }

  commit(id: string): Commit | undefined {
    return this.#commits.get(id);
  }

  isAncestor(id: string, of: string): boolean {
    for (let at: string | null = of; at !== null; at = this.#at(at).parent) if (at === id) return true;
    return false;
  }

  /** Oldest first. */
  history(): Commit[] {
    const commits: Commit[] = [];
    for (let at: string | null = this.tip; at !== null; at = this.#at(at).parent)
      commits.unshift(this.#at(at));
    return commits;
  }

  /** What an agent makes of the attempt's base. */
  work(name: string): Work {
    const { changes } = this.#at(this.bases.get(name) ?? startOfBranch);
    const [task = ""] = name.split("#");
    return {
      commit: `work-${name}`,
      tree: this.#treeOf([...changes, name]),
      created: [`${task}.ts`],
      modified: [],
      differences: [],
    };
  }

  /** Puts the work of an attempt onto a commit, or answers nothing: it conflicts. */
  merge(name: string, onto: string): Candidate | undefined {
    const { changes } = this.#at(onto);
    if (this.#isClash("text", name, changes)) return undefined;
    const { id, tree } = this.#add(onto, [...changes, name]);
    return { commit: id, tree, onto };
  }

  /** Whether the checks of an attempt can pass on a tree: its change is in there and agrees with the others. */
  isSound(name: string, tree: string): boolean {
    const changes = this.#trees.get(tree)?.split(" ") ?? [];
    return changes.includes(name) && !this.#isClash("meaning", name, changes);
  }

  /** Only from where the caller thinks that it is. */
  move({ commit, onto }: Candidate): boolean {
    if (this.tip !== onto) return false;
    this.tip = commit;
    return true;
  }

  /** Somebody else commits on top. */
  meddle(): void {
    this.tip = this.#add(this.tip, [...this.#at(this.tip).changes, `somebody-${this.#count}`]).id;
  }

  /** A person's `undo`: whoever repeats it finds it done, on the branch as it is by then. */
  revert(name: string): string {
    if (this.takenBack.has(name)) return this.tip;
    this.tip = this.#add(
      this.tip,
      this.#at(this.tip).changes.filter((each) => each !== name),
    ).id;
    this.takenBack.add(name);
    return this.tip;
  }

  /** Checks of this attempt, on this tree, for this definition, were green. */
  sawGreen(name: string, tree: string, digest: string): void {
    this.#green.set(`${name} ${tree}`, digest);
  }

  /** The definition for which they were green. */
  greenFor(name: string, tree: string): string | undefined {
    return this.#green.get(`${name} ${tree}`);
  }

  #at(id: string): Commit {
    const commit = this.#commits.get(id);
    if (!commit) throw new Error(`there is no commit ${id}`);
    return commit;
  }

  #add(parent: string, changes: readonly string[]): Commit {
    const id = `c${++this.#count}`;
    const commit = { id, parent, tree: this.#treeOf(changes), changes: [...new Set(changes)] };
    this.#commits.set(id, commit);
    return commit;
  }

  #treeOf(changes: readonly string[]): string {
    const text = [...new Set(changes)].sort().join(" ");
    const known = this.#trees.get(`=${text}`);
    if (known !== undefined) return known;
    const tree = `t${this.#trees.size / 2}`;
    this.#trees.set(`=${text}`, tree);
    this.#trees.set(tree, text);
    return tree;
  }

  /** Against what its agent has not seen: that was not in its base. */
  #isClash(kind: "text" | "meaning", name: string, changes: readonly string[]): boolean {
    const seen = this.#at(this.bases.get(name) ?? startOfBranch).changes;
    const probability = this.clashes[kind];
    return changes.some(
      (each) => each !== name && !seen.includes(each) && this.#share(`${kind} ${name} ${each}`) < probability,
    );
  }

  #share(text: string): number {
    let hash = this.#seed ^ 0x811c9dc5;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash ^= hash >>> 15;
    return (Math.imul(hash, 0x2c1b3c6d) >>> 0) / 4294967296;
  }
}
