/** The commands that take a plan from its files to `ready`. */
export const planning: readonly (readonly string[])[] = [
  ["state", "advance"],
  ["state", "validate", "capability_map"],
  ["state", "advance"],
  ["state", "validate", "physical_map"],
  ["state", "advance"],
  ["state", "load-tasks"],
  ["state", "advance"],
  ["state", "validate-tasks", "READY", "all", "pass"],
  ["state", "advance"],
  ["state", "advance"],
];
