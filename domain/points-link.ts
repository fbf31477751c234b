import type { Language } from './languages.ts';
import type { Mode } from './mode.ts';

/** How long the link to a customer's points works. */
export const pointsLinkMs = 24 * 3_600_000;

/**
 * A customer's request for the link to their points. It is sent to the contact that this purchase
 * gave, and contains no contact itself.
 */
export interface PointsLinkRequest {
  partnerId: string;
  purchaseEventId: string;
  rewardId: string;
  mode: Mode;
  customerId: string;
  /** The language of the page it was requested on; absent if the browser asked for none that we support. */
  language?: Language;
}

/** The link that shows a customer's points. @param portalUrl where customers reach the portal, without a slash at the end */
export function pointsUrlOf(portalUrl: string, token: string): string {
  return `${portalUrl}/points/${token}`;
}
