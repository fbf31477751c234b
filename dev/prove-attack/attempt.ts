/** An attempt of docs/threats.md that goes over HTTP. */
export interface Attempt {
  /** What somebody would do. */
  threat: string;
  /** @returns what came of it, in a word, and whether it was kept out */
  attempt(): Promise<{ answer: string | number; isRefused: boolean }>;
}

/** @returns how many got through, each line told */
export async function tryAll(
  attempts: readonly Attempt[],
  tell: (line: string) => void,
): Promise<number> {
  let through = 0;
  for (const { threat, attempt } of attempts) {
    const { answer, isRefused } = await attempt();
    if (!isRefused) through += 1;
    tell(`${isRefused ? 'kept out' : 'THROUGH '}  ${answer}  ${threat}`);
  }
  return through;
}
