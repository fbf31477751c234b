/** The signature doctor: explains why a signature is refused, and what to do about it. */

export { type Cause, causes, type Finding, findingOf, type LineNumber } from './causes.ts';
export { diagnosePasted } from './compare-pasted.ts';
export { type Diagnosis, diagnose, type KnownCredential } from './diagnose.ts';
export { diagnoseGiven, type Examined, type GivenRequest } from './diagnose-given.ts';
export { showInvisible } from './invisible.ts';
export type { KnownSecret } from './keys.ts';
export { compareLines, type LineComparison } from './lines.ts';
export {
  type BodyEvidence,
  examineBody,
  measureBody,
  ourString,
  type SuspectRequest,
} from './suspect.ts';
export {
  diagnoseWebhook,
  type PastedWebhook,
  type WebhookFinding,
  type WebhookKnowledge,
} from './webhook.ts';
