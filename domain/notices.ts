import type { Role } from './operator-roles.ts';
import type { PartnerRole } from './partner-roles.ts';
import {
  type OperatorEventType,
  operatorEventTypes,
  type WebhookEventType,
  type WebhookFact,
} from './webhooks.ts';

/** An endpoint of the partner's that fails, or was disabled: no event of its own. */
export const endpointNotice = 'webhook-endpoint.news';

/** What a partner's user may be told of LIVE by email, each with a switch of its own. */
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

/** A sign-in with a browser that is new. It is about a user, not about their partner, and on from the beginning. */
export const newDevice = 'sign-in.new-device';

/** All that has a switch. */
export type NoticeSwitch = NoticeType | OperatorEventType | typeof newDevice;
export const noticeSwitches = {
  user: [...noticeTypes, newDevice],
  operator: [...operatorEventTypes, newDevice],
} as const satisfies Record<string, readonly NoticeSwitch[]>;

const wayToLive = ['go_live.approved', 'go_live.returned'] as const satisfies readonly NoticeType[];
const keysAndEndpoints = [
  'credential.created',
  'credential.revoked',
  'service_account.changed',
  endpointNotice,
] as const satisfies readonly NoticeType[];

/** What a partner's user is told of from the day they join, by their role, until they choose otherwise. */
export const firstNotices: Record<PartnerRole, readonly NoticeType[]> = {
  owner: [
    ...wayToLive,
    'funding.low',
    'funding.recovered',
    'reward.awaiting_funding',
    'usage.threshold',
    'invoice.issued',
    'review.asked',
    ...keysAndEndpoints,
  ],
  developer: [...wayToLive, 'review.asked', ...keysAndEndpoints],
  viewer: [],
};

/** The same of operators: what waits for those who may do it. */
export const firstOperatorNotices: Record<Role, readonly OperatorEventType[]> = {
  viewer: [],
  support: ['review.waiting', 'review.due', 'review.answered'],
  finance: ['approval.waiting'],
  admin: operatorEventTypes,
};

/** What comes in numbers is gathered for so long, to be one email. */
const gatherMs = 10 * 60_000;
const gathered: readonly string[] = [
  'reward.awaiting_funding',
  'review.decided',
  'review.waiting',
  'review.due',
];

/** Whether somebody is told as things happen, or once a day of all of them. */
export const noticeRhythms = ['AT_ONCE', 'DAILY'] as const;
export type NoticeRhythm = (typeof noticeRhythms)[number];

/** When what is told once a day is mailed: the hour, UTC. */
export const digestHour = 7;
const hourMs = 3_600_000;

/** How long an email about an event waits for others to go with it. */
export function noticeDelayMs(
  type: WebhookFact['type'],
  rhythm: NoticeRhythm,
  nowMs: number,
): number {
  if (rhythm === 'AT_ONCE') return gathered.includes(type) ? gatherMs : 0;
  const sinceMs = (nowMs - digestHour * hourMs) % (24 * hourMs);
  return 24 * hourMs - sinceMs;
}
