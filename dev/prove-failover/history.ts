import { writeFile } from 'node:fs/promises';

/** A request in the terms of the models in dev/linearizability/models.go. */
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
  /** Operations of one part affect only each other. */
  part: string;
  client: number;
}

export type RequestHistory = ReturnType<typeof createHistory>;

/** Requests with the times of their start and response, for dev/linearizability. */
export function createHistory() {
  const lines: string[] = [];
  const nowUs = () => Math.round(performance.now() * 1_000);
  let current: string | undefined;
  return {
    /** Marks the following requests as made during an event, until it is over. */
    happens(what: string | undefined): void {
      current = what;
    },

    /**
     * Sends a request and records the response.
     * @param ask returns undefined if the response leaves the outcome open
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
      // A read without a response has no effect and no information.
      if (output === undefined && input.op === 'read') return;
      lines.push(
        JSON.stringify({ ...of, callUs, returnUs, during, input, output: output ?? null }),
      );
    },
    write: (file: string) => writeFile(file, `${lines.join('\n')}\n`),
  };
}
