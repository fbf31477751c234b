/**
 * Who delivers claim links to customers: the service, or the partner, which gets the link in the
 * response to the purchase. The integration decides, and a purchase keeps what applied when it was
 * reported.
 */
export const deliveries = ['SERVICE', 'PARTNER'] as const;

export type Delivery = (typeof deliveries)[number];

/** The link that claims a reward. @param portalUrl where customers reach the portal, without a slash at the end */
export function claimUrlOf(portalUrl: string, claimToken: string): string {
  return `${portalUrl}/claim/${claimToken}`;
}
