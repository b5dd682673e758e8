// Long work in short pieces: whoever goes through something that can be large asks now and then whether its turn is
// over, and lets the loop turn. All of them share one allowance, so that many at once hold it up no longer than one.

/** Work of this kind in one turn of the loop. Far below what anybody notices, far above what a turn costs. */
const turnMs = 10;

const waiting: (() => void)[] = [];
let endsAt = 0;

/** Whether the loop has to turn before more is done. Cheap enough to be asked for every item. */
export const isTurnOver = () => performance.now() >= endsAt;

/** After at least one turn of the loop; those that wait take turns. */
export function nextTurn(): Promise<void> {
  return new Promise((settle) => {
    if (waiting.push(settle) === 1) setImmediate(begin);
  });
}

/** One of those that wait in each turn of the loop: an immediate that is set in an immediate runs in the next. */
function begin(): void {
  endsAt = performance.now() + turnMs;
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(begin);
}

/** For each item, as many in one go as a turn allows. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  for (const item of items) {
    if (isTurnOver()) await nextTurn();
    work(item);
  }
}
