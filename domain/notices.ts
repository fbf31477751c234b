import type { Role } from './operator-roles.ts';
import type { PartnerRole } from './partner-roles.ts';
import {
  type OperatorEventType,
  operatorEventTypes,
  type WebhookEventType,
  type WebhookFact,
} from './webhooks.ts';

/** A webhook endpoint fails or was disabled. There is no webhook event for it. */
export const endpointNotice = 'webhook-endpoint.news';

/** What a partner's users can be notified of by email, LIVE only; each can be switched off. */
export const noticeTypes = [
  'go_live.approved',
  'go_live.returned',
  'funding.low',
  'funding.recovered',
  'funding.topped_up',
  'reward.awaiting_funding',
  'usage.threshold',
  'invoice.issued',
  'review.asked',
  'review.decided',
  'credential.created',
  'credential.revoked',
  'service_account.changed',
  endpointNotice,
] as const satisfies readonly (WebhookEventType | typeof endpointNotice)[];
export type NoticeType = (typeof noticeTypes)[number];

/** A sign-in with a new browser. It concerns the user, not the partner, and is on by default. */
export const newDevice = 'sign-in.new-device';

/** Everything that can be switched on or off. */
export type NoticeSwitch = NoticeType | OperatorEventType | typeof newDevice;
export const noticeSwitches = {
  user: [...noticeTypes, newDevice],
  operator: [...operatorEventTypes, newDevice],
} as const satisfies Record<string, readonly NoticeSwitch[]>;

const goLiveNotices = [
  'go_live.approved',
  'go_live.returned',
] as const satisfies readonly NoticeType[];
const keysAndEndpoints = [
  'credential.created',
  'credential.revoked',
  'service_account.changed',
  endpointNotice,
] as const satisfies readonly NoticeType[];

/** The notices that a partner's user gets by default, by role. */
export const defaultNotices: Record<PartnerRole, readonly NoticeType[]> = {
  owner: [
    ...goLiveNotices,
    'funding.low',
    'funding.recovered',
    'reward.awaiting_funding',
    'usage.threshold',
    'invoice.issued',
    'review.asked',
    ...keysAndEndpoints,
  ],
  developer: [...goLiveNotices, 'review.asked', ...keysAndEndpoints],
  viewer: [],
};

/**
 * The notices that an operator gets by default, by role: what waits for somebody with that role.
 */
export const defaultOperatorNotices: Record<Role, readonly OperatorEventType[]> = {
  viewer: [],
  support: ['review.waiting', 'review.due', 'review.answered'],
  finance: ['approval.waiting'],
  admin: operatorEventTypes,
};

/** Frequent notices are collected for this long and sent as one email. */
const collectMs = 10 * 60_000;
const collected: readonly string[] = [
  'reward.awaiting_funding',
  'review.decided',
  'review.waiting',
  'review.due',
];

/** Whether notices are sent immediately or as a daily digest. */
export const noticeRhythms = ['AT_ONCE', 'DAILY'] as const;
export type NoticeRhythm = (typeof noticeRhythms)[number];

/** When the daily digest is sent: the hour, in UTC. */
export const digestHour = 7;
const hourMs = 3_600_000;

/** How long the email about an event waits for other events to include. @returns milliseconds */
export function noticeDelayMs(
  type: WebhookFact['type'],
  rhythm: NoticeRhythm,
  nowMs: number,
): number {
  if (rhythm === 'AT_ONCE') return collected.includes(type) ? collectMs : 0;
  const sinceMs = (nowMs - digestHour * hourMs) % (24 * hourMs);
  return 24 * hourMs - sinceMs;
}
