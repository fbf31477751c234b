import type { PointsLinkRequest } from '../domain/customer.ts';
import { awaitedMessages } from './purchase-steps.ts';

/** Sends a customer the link to their points. */
export async function pointsLink(request: PointsLinkRequest): Promise<void> {
  await awaitedMessages('send a customer the link to their points').sendPointsLink(request);
}
