import type { SendAgainRequest } from '../domain/workflow-names.ts';
import { awaitedMessages } from './purchase-steps.ts';

/** Sends the claim link of a reward again. */
export async function sendAgain(request: SendAgainRequest): Promise<void> {
  await awaitedMessages('send the claim link again').sendClaimLinkAgain(request);
}
