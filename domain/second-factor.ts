import type { Refusal } from './approvals.ts';
import type { GoLiveState } from './go-live.ts';
import type { PartnerRole } from './partner-roles.ts';

/** How long a second factor that was given holds. */
export const secondFactorMs = 15 * 60_000;

/** Whether a second factor was given within the last quarter of an hour. */
export function isFresh(givenAt: Date | null, nowMs: number): boolean {
  return givenAt !== null && nowMs - givenAt.getTime() < secondFactorMs;
}

/** What is known of who sets up a second factor. */
interface Enrolling {
  hasFactor: boolean;
  signedInBy: 'PASSWORD' | 'LINK' | 'INVITATION';
  createdAt: Date;
  secondFactorAt: Date | null;
  emailProvenAt?: Date | null;
}

/**
 * What somebody who sets up a second factor has yet to give: the one that they have, or, for the first, that
 * they read their email, since whoever knows the password alone would lock them out. A link that came by
 * email within the last quarter of an hour says so too.
 */
export function missingForEnrolment(
  { hasFactor, signedInBy, createdAt, secondFactorAt, emailProvenAt = null }: Enrolling,
  nowMs: number,
): 'FACTOR' | 'EMAIL' | null {
  if (hasFactor) return isFresh(secondFactorAt, nowMs) ? null : 'FACTOR';
  const cameByMail = signedInBy !== 'PASSWORD' && isFresh(createdAt, nowMs);
  return cameByMail || isFresh(emailProvenAt, nowMs) ? null : 'EMAIL';
}

/** How long somebody in a team that went LIVE, or who joined one that is, works without a second factor. */
const graceMs = 7 * 86_400_000;

/**
 * Until when somebody of a LIVE partner's team can go on without a second factor: a password alone opens
 * nothing LIVE.
 * @returns null for who has one, and before LIVE
 */
export function factorDueAt(
  user: { createdAt: Date; secondFactor: object | null },
  goLive: { state: GoLiveState; decidedAt: Date | null },
): Date | null {
  if (user.secondFactor !== null || goLive.state !== 'LIVE') return null;
  const sinceMs = Math.max(user.createdAt.getTime(), goLive.decidedAt?.getTime() ?? 0);
  return new Date(sinceMs + graceMs);
}

/** Who takes a second factor away, as the audit log names them. */
export interface Resetter {
  /** Two, where one proposed it and another approved it. */
  actorIds: readonly string[];
  kind: 'owner' | 'operator';
}

/** Whose it is. */
export interface FactorHolder {
  actorId: string;
  /** Null for an operator. */
  partnerRole: PartnerRole | null;
  hasFactor: boolean;
}

/**
 * Why somebody may not take this person's second factor away: an owner does it for their team, an
 * operator for owners and operators, and nobody for themselves, since who has the session and not the
 * phone may be a thief.
 */
export function resetRefusal(by: Resetter, whose: FactorHolder): Refusal | undefined {
  if (by.actorIds.includes(whose.actorId)) {
    return { code: 'FORBIDDEN', message: 'You cannot reset your own second factor.' };
  }
  if (by.kind === 'operator' && whose.partnerRole !== null && whose.partnerRole !== 'owner') {
    return {
      code: 'CONFLICT',
      message: 'Only an owner of the team can do this for its other users.',
    };
  }
  if (!whose.hasFactor) return { code: 'CONFLICT', message: 'No second factor is set up.' };
  return undefined;
}
