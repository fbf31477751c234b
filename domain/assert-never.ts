/**
 * Closes an exhaustive switch: a missing case does not compile, and a value outside the types,
 * such as one stored by a newer version, throws.
 * @throws Error always
 */
export function assertNever(value: never, what: string): never {
  throw new Error(`unknown ${what}: ${JSON.stringify(value)}`);
}
