import type { WebhookEventType } from './webhooks.ts';

/** An endpoint of the partner's that fails, or was disabled: no event of its own. */
export const endpointNews = 'webhook-endpoint.news';

/** What a partner's user may be told of LIVE by email, each with a switch of its own. */
export const noticeTypes = [
  'funding.low',
  'funding.topped_up',
  'reward.awaiting_funding',
  'usage.threshold',
  'invoice.issued',
  'review.decided',
  'credential.created',
  'credential.revoked',
  'service_account.changed',
  endpointNews,
] as const satisfies readonly (WebhookEventType | typeof endpointNews)[];
export type NoticeType = (typeof noticeTypes)[number];

/** A sign-in with a browser that is new. It is about a user, not about their partner, and on from the beginning. */
export const newDevice = 'sign-in.new-device';

/** All that has a switch. */
export type NoticeSwitch = NoticeType | typeof newDevice;
export const noticeSwitches = {
  user: [...noticeTypes, newDevice],
  operator: [newDevice],
} as const satisfies Record<string, readonly NoticeSwitch[]>;

/** What comes in numbers is gathered for so long, to be one email. */
const gatherMs = 10 * 60_000;
const gathered: readonly string[] = ['reward.awaiting_funding', 'review.decided'];

/** How long an email about an event waits for others to go with it. */
export const noticeDelayMs = (type: WebhookEventType): number =>
  gathered.includes(type) ? gatherMs : 0;
