import type { GoLiveState } from './go-live.ts';
import type { Refusal, Role } from './operators.ts';
import { dayMs } from './utc-days.ts';
import {
  type Announcement,
  type OperatorEventType,
  operatorEventTypes,
  type WebhookEventType,
} from './webhooks.ts';

/**
 * The roles of a partner's users (docs/operate/roles.md, Two operators). An owner may do everything, a
 * developer everything that neither moves money nor opens LIVE, and a viewer can only read.
 */
export const partnerRoles = ['owner', 'developer', 'viewer'] as const;

export type PartnerRole = (typeof partnerRoles)[number];

const everyone = partnerRoles;
const developer = ['owner', 'developer'] as const;
const owner = ['owner'] as const;

/** The permissions of the portal's pages, and the roles that have them. */
export const permittedPartnerRoles = {
  read: everyone,

  'integration.create': developer,
  /** Who delivers claim links, before the partner is LIVE. */
  'integration.update': developer,
  /** To create, rotate and revoke TEST keys. */
  'credential.test': developer,
  /** To manage TEST webhook endpoints. */
  'webhook.test': developer,
  /** To create, rotate and revoke TEST service accounts. */
  'service-account.change': developer,
  'earning-rule.test': developer,
  /** Which refunds are upheld without an operator. */
  'refund-policy.test': developer,
  /** When customers' points end. */
  'points-end.test': developer,
  'test-funding.add': developer,
  /** Signed requests from the test console, and the TEST clock. */
  'test-event.send': developer,
  /** To see what was signed in refused requests of both modes: no secrets, and no customer data. */
  'refused-request.read': developer,
  /** To start comparisons of orders and back-tests, which change nothing and may take a while. */
  'job.start': developer,

  /** To answer operators' questions about a refund under review, in the partner's name. */
  'review.answer': developer,
  'review.answer-live': owner,
  /** To send a customer the claim link again. */
  'reward.send-again': developer,
  /** Whether later rewards wait behind one that waits for funds. */
  'reward.end-hold': owner,
  'reward.let-pass': owner,
  /** Whom an unclaimed reward is for. */
  'reward.correct-contact': owner,
  'partner.update': owner,
  /** Who delivers claim links to the customers of a LIVE partner. */
  'integration.live': owner,
  /** A LIVE service account reads what customers bought. */
  'service-account.live': owner,
  'partner.request-go-live': owner,
  'credential.live': owner,
  'webhook.live': owner,
  /** In LIVE, a rule determines what every point costs. */
  'earning-rule.live': owner,
  'refund-policy.live': owner,
  'points-end.live': owner,
  'subscription.change': owner,
  /** What the team did, and when. */
  'audit-log.read': owner,
  'user.invite': owner,
  'user.change-role': owner,
  'user.remove': owner,
  /** For another user, never oneself. */
  'user.reset-second-factor': owner,
} as const satisfies Record<string, readonly PartnerRole[]>;

export type PartnerPermission = keyof typeof permittedPartnerRoles;

export function partnerMay(role: PartnerRole, permission: PartnerPermission): boolean {
  return (permittedPartnerRoles[permission] as readonly PartnerRole[]).includes(role);
}

/** A webhook endpoint fails or was disabled. There is no webhook event for it. */
export const endpointNotice = 'webhook-endpoint.news';

/** What a partner's users can be notified of by email, LIVE only; each can be switched off. */
export const noticeTypes = [
  'go_live.approved',
  'go_live.returned',
  'funding.low',
  'funding.recovered',
  'funding.topped_up',
  'funding.withdrawn',
  'funding.corrected',
  'reward.awaiting_funding',
  'usage.threshold',
  'budget.threshold',
  'invoice.issued',
  'invoice.payment_recorded',
  'invoice.payment_reversed',
  'invoice.overdue',
  'invoice.voided',
  'review.asked',
  'review.decided',
  'credential.created',
  'credential.revoked',
  'credential.expiring',
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
  'credential.expiring',
  'service_account.changed',
  endpointNotice,
] as const satisfies readonly NoticeType[];

/** The notices that a partner's user gets by default, by role. */
export const defaultNotices: Record<PartnerRole, readonly NoticeType[]> = {
  owner: [
    ...goLiveNotices,
    'funding.low',
    'funding.recovered',
    'funding.withdrawn',
    'funding.corrected',
    'reward.awaiting_funding',
    'usage.threshold',
    'budget.threshold',
    'invoice.issued',
    'invoice.payment_reversed',
    'invoice.overdue',
    'invoice.voided',
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
  type: Announcement['type'],
  rhythm: NoticeRhythm,
  nowMs: number,
): number {
  if (rhythm === 'AT_ONCE') return collected.includes(type) ? collectMs : 0;
  const sinceMs = (nowMs - digestHour * hourMs) % (24 * hourMs);
  return 24 * hourMs - sinceMs;
}

/** What a key may do. The last two are for a shop's checkout. */
export const scopes = [
  'events:write',
  'events:read',
  'customers:read',
  'redemptions:write',
] as const;
export type Scope = (typeof scopes)[number];

/** What a service account may read of its partner. It never writes. */
export const serviceAccountScopes = ['log:read', 'rewards:read'] as const;
export type ServiceAccountScope = (typeof serviceAccountScopes)[number];

/** The most working accounts of a partner. */
export const maxServiceAccounts = 20;

/** How long a replaced token still works, so that programs can be updated without an outage. */
export const replacedTokenMs = dayMs;

/** A service account, a key or a secret works until it is revoked or expires. */
export type AccessState = 'ACTIVE' | 'EXPIRED' | 'REVOKED';

interface Access {
  revokedAt: Date | null;
  /** Null for never. */
  expiresAt: Date | null;
}

export function accessState({ revokedAt, expiresAt }: Access, nowMs: number): AccessState {
  if (revokedAt !== null) return 'REVOKED';
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? 'EXPIRED' : 'ACTIVE';
}

/** For how long a new LIVE key can work. TEST keys do not expire. */
export const liveKeyDays = { min: 30, default: 365, max: 366 } as const;

/** How long before a secret of a LIVE key expires its partner is told. */
export const expiryNoticeDays = [28, 7] as const;

/** When the last of a key's secrets expires; null if one never does, or none is left. */
export function keyExpiresAt({ secrets }: { secrets: readonly Access[] }): Date | null {
  const times = secrets
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ expiresAt }) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
  const last = Math.max(...times);
  return Number.isFinite(last) ? new Date(last) : null;
}

export const keyState = (
  key: { revokedAt: Date | null; secrets: readonly Access[] },
  nowMs: number,
): AccessState => accessState({ ...key, expiresAt: keyExpiresAt(key) }, nowMs);

/** How long an operation can follow after the second factor was entered. */
const secondFactorMs = 15 * 60_000;

/** Whether the second factor was entered within the last 15 minutes. */
export function isFresh(givenAt: Date | null, nowMs: number): boolean {
  return givenAt !== null && nowMs - givenAt.getTime() < secondFactorMs;
}

/** Five bits each, so a recovery code cannot be guessed. */
export const recoveryCodeChars = 16;

/** A recovery code without the separators of its groups. */
export const plainRecoveryCode = (code: string): string =>
  code.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Whether something has the form of a recovery code, and not of an authenticator app's. */
export const isRecoveryCode = (code: string): boolean =>
  plainRecoveryCode(code).length === recoveryCodeChars;

/** What is known of the user who sets up a second factor, and of their session. */
interface Enrolment {
  hasFactor: boolean;
  signedInBy: 'PASSWORD' | 'LINK' | 'INVITATION' | 'SSO';
  createdAt: Date;
  secondFactorAt: Date | null;
  emailProvenAt?: Date | null;
}

/**
 * What a user has to prove before setting up a second factor: the existing factor, or, for the
 * first, access to their email, since otherwise anybody with the password could lock them out. A
 * sign-in by an emailed link within the last 15 minutes proves access.
 */
export function missingForEnrolment(
  { hasFactor, signedInBy, createdAt, secondFactorAt, emailProvenAt = null }: Enrolment,
  nowMs: number,
): 'FACTOR' | 'EMAIL' | null {
  if (hasFactor) return isFresh(secondFactorAt, nowMs) ? null : 'FACTOR';
  const cameByMail =
    (signedInBy === 'LINK' || signedInBy === 'INVITATION') && isFresh(createdAt, nowMs);
  return cameByMail || isFresh(emailProvenAt, nowMs) ? null : 'EMAIL';
}

/**
 * How long users can work without a second factor after their partner went LIVE, or after joining.
 */
const graceMs = 7 * dayMs;

/**
 * Until when a user of a LIVE partner can continue without a second factor. A password alone must not
 * open anything LIVE.
 * @returns null for a user who has one, and before LIVE
 */
export function factorDueAt(
  user: { createdAt: Date; secondFactor: object | null },
  goLive: { state: GoLiveState; decidedAt: Date | null },
): Date | null {
  if (user.secondFactor !== null || goLive.state !== 'LIVE') return null;
  const sinceMs = Math.max(user.createdAt.getTime(), goLive.decidedAt?.getTime() ?? 0);
  return new Date(sinceMs + graceMs);
}

/** Who resets a second factor, as named in the audit log. */
export interface Resetter {
  /** Two if one proposed it and another approved. */
  actorIds: readonly string[];
  kind: 'owner' | 'operator';
}

/** The user whose second factor is reset. */
export interface FactorHolder {
  actorId: string;
  /** Null for an operator. */
  partnerRole: PartnerRole | null;
  hasFactor: boolean;
}

/**
 * Why somebody may not reset this second factor; undefined if they may. Owners do it for their
 * team, operators for owners and operators, and nobody for themselves: whoever has a session but
 * not the phone may be a thief.
 */
export function resetRefusal(by: Resetter, holder: FactorHolder): Refusal | undefined {
  if (by.actorIds.includes(holder.actorId)) {
    return { code: 'FORBIDDEN', message: 'You cannot reset your own second factor.' };
  }
  if (by.kind === 'operator' && holder.partnerRole !== null && holder.partnerRole !== 'owner') {
    return {
      code: 'CONFLICT',
      message: 'Only an owner of the team can do this for its other users.',
    };
  }
  if (!holder.hasFactor) return { code: 'CONFLICT', message: 'No second factor is set up.' };
  return undefined;
}

/**
 * The most signing secrets of a key that are active at a time: a rotation needs two
 * (docs/integrate/requests.md, Authentication).
 */
export const maxActiveSecrets = 2;

/** The most active keys of a partner, TEST and LIVE together. */
export const maxActiveKeys = 100;

/** The most integrations of a partner. */
export const maxIntegrations = 100;

/** Two, so that an operator can replace a token without being locked out. */
export const maxActiveTokens = 2;

/** The names of browser and operating system, as far as a user agent string reveals them. */
export function browserName(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  const known = [browser, system].flatMap((one) => (one ? [names[one] ?? one] : []));
  return known.length > 0 ? known.join(' on ') : userAgent.slice(0, 40) || 'unknown';
}
