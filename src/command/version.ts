// The version that was built; none when the sources run as they are.
declare const HEDDLE_VERSION: string | undefined;

export const version = typeof HEDDLE_VERSION === "string" ? HEDDLE_VERSION : "0.0.0";
