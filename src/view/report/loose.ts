// Documents as agents wrote them and heddle checked them, read as far as they go: a field that is missing is empty.

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : String(value);
