import { writeFile } from 'node:fs/promises';

/** What was asked, in the words of the models in dev/linearizability/models.go. */
interface Input {
  op: string;
  key?: string;
  body?: string;
  amount?: number;
}

interface Output {
  code?: string;
  eventId?: string;
  status?: string;
  balance?: number;
}

interface OperationKey {
  model: 'order' | 'reward' | 'wallet';
  /** Operations of one part concern each other, and no others. */
  part: string;
  client: number;
}

export type RequestHistory = ReturnType<typeof createHistory>;

/** Requests with the times at which they were made and answered, for dev/linearizability. */
export function createHistory() {
  const lines: string[] = [];
  const nowUs = () => Math.round(performance.now() * 1_000);
  let current: string | undefined;
  return {
    /** What happens to the members from now on, until it is over. */
    happens(what: string | undefined): void {
      current = what;
    },

    /**
     * Asks, and notes the answer.
     * @param ask gives undefined where the answer does not say what became of the request
     */
    async note(
      of: OperationKey,
      input: Input,
      ask: () => Promise<Output | undefined>,
    ): Promise<void> {
      const callUs = nowUs();
      const atCall = current;
      const output = await ask();
      const returnUs = output === undefined ? null : nowUs();
      const during = atCall ?? current;
      // A read that nobody answered says nothing, and does nothing.
      if (output === undefined && input.op === 'read') return;
      lines.push(
        JSON.stringify({ ...of, callUs, returnUs, during, input, output: output ?? null }),
      );
    },
    write: (file: string) => writeFile(file, `${lines.join('\n')}\n`),
  };
}
