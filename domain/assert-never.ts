/**
 * Ends an exhaustive switch: it does not compile while a case is missing, and throws should a value
 * come that the types do not know, such as one that a newer version stored.
 * @throws Error always
 */
export function assertNever(value: never, what: string): never {
  throw new Error(`unknown ${what}: ${JSON.stringify(value)}`);
}
