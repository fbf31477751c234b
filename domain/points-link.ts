import type { Language } from './languages.ts';
import type { Mode } from './mode.ts';

/** How long the link to a customer's points works. */
export const pointsLinkMs = 24 * 3_600_000;

/** A customer who asks for the link to their points: the purchase whose contact it is sent to, and no contact. */
export interface PointsLinkRequest {
  partnerId: string;
  purchaseEventId: string;
  rewardId: string;
  mode: Mode;
  customerId: string;
  /** That of the page on which it was asked for; absent where the browser names none. */
  language?: Language;
}

/** The link that shows a customer's points. @param portalUrl where customers reach the portal, without a slash at the end */
export function pointsUrlOf(portalUrl: string, token: string): string {
  return `${portalUrl}/points/${token}`;
}
