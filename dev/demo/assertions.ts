import { isDeepStrictEqual } from 'node:util';
import { PartnerApiError } from '../../clients/typescript/index.ts';

/** @throws Error with both values if they differ */
export function assertEqual(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

/**
 * @returns the status, code and message of the refusal
 * @throws Error if the request is accepted, or refused with another code
 */
export async function assertRefused(code: string, ask: () => Promise<unknown>): Promise<string> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof PartnerApiError) || error.code !== code) throw error;
    return `${error.status} ${error.code}: ${error.message}`;
  }
  throw new Error(`a request was accepted instead of refused with ${code}`);
}
