// `npm test` has ten minutes on two cores. What goes through long lists or strikes at random moments takes a part of them
// there, and the whole with `HEDDLE_THOROUGH=1`, as CI does.
export const thorough = process.env.HEDDLE_THOROUGH === "1";

/** So many of a list, spread over it; all of it when thorough. */
export function sample<T>(list: readonly T[], oneIn: number, from = 0): T[] {
  return list.filter((_, at) => thorough || at % oneIn === from % oneIn);
}
