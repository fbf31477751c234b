import { type PartnerErrorCode, partnerErrors } from '../../domain/error-codes.ts';

/** The outcomes of requests that were not refused. */
const outcomes = {
  ACCEPTED: 'The event was recorded.',
  REPLAYED: 'A retry of a recorded request. It got the stored response and changed nothing.',
  OK: 'The request succeeded.',
  IGNORED:
    'A shop’s platform reported something that does not concern points. Nothing was recorded.',
  REHEARSED: 'A rehearsal refused it on purpose. The same request again succeeds.',
};

/** The outcome of a signed request. */
export type LogCode = PartnerErrorCode | keyof typeof outcomes;

/** What happened, in one sentence, for a list. */
export const meaningOf = (code: string): string =>
  Object.hasOwn(partnerErrors, code)
    ? partnerErrors[code as PartnerErrorCode].meaning
    : (outcomes[code as keyof typeof outcomes] ?? 'It was refused.');

const refusals = Object.entries(partnerErrors).map(
  ([code, { meaning, action }]) => [code, `${meaning} ${action}`] as const,
);

/** What each outcome means to the sender, and what to do about it. */
const codeWords: Record<string, string> = { ...outcomes, ...Object.fromEntries(refusals) };

export const logCodes = Object.keys(codeWords) as LogCode[];

/** The explanation of a stored code; empty for a code no longer in use. */
export const wordsOfCode = (code: string): string => codeWords[code] ?? '';
