/** An attempt over HTTP at a threat of docs/concepts/security.md. */
export interface Attempt {
  /** The threat, as an action. */
  threat: string;
  /** @returns the outcome in a word, and whether it was refused */
  attempt(): Promise<{ answer: string | number; isRefused: boolean }>;
}

/** Runs all attempts and prints a line for each. @returns how many succeeded */
export async function tryAll(
  attempts: readonly Attempt[],
  log: (line: string) => void,
): Promise<number> {
  let succeeded = 0;
  for (const { threat, attempt } of attempts) {
    const { answer, isRefused } = await attempt();
    if (!isRefused) succeeded += 1;
    log(`${isRefused ? 'refused  ' : 'SUCCEEDED'}  ${answer}  ${threat}`);
  }
  return succeeded;
}
