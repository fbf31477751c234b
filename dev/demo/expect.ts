import { isDeepStrictEqual } from 'node:util';
import { PartnerApiError } from '../../clients/typescript/index.ts';

/** @throws Error that says what is otherwise than the contract has it */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

/**
 * @returns the refusal, in a sentence
 * @throws Error when the request is accepted, or refused for another reason
 */
export async function expectRefusal(code: string, ask: () => Promise<unknown>): Promise<string> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof PartnerApiError) || error.code !== code) throw error;
    return `${error.status} ${error.code}: ${error.message}`;
  }
  throw new Error(`a request was accepted that is ${code}`);
}
