/** The signature doctor: explains why a signature is refused, and what to do about it. */

export type { Cause, Finding, LineNumber } from './causes.ts';
export { diagnoseGiven, diagnosePasted, type Examined, type GivenRequest } from './compare.ts';
export { type Diagnosis, diagnose, type KnownCredential, readSignature } from './diagnose.ts';
export { compareLines, type LineComparison, showInvisible } from './lines.ts';
export type { KnownSecret } from './mistakes.ts';
export {
  type BodyEvidence,
  examineBody,
  measureBody,
  ourString,
  type SuspectRequest,
} from './request.ts';
export {
  diagnoseWebhook,
  type PastedWebhook,
  type WebhookFinding,
  type WebhookKnowledge,
} from './webhook.ts';
