import type { Refusal } from './approvals.ts';
import type { GoLiveState } from './go-live.ts';
import type { PartnerRole } from './partner-roles.ts';

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
interface EnrolmentFacts {
  hasFactor: boolean;
  signedInBy: 'PASSWORD' | 'LINK' | 'INVITATION';
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
  { hasFactor, signedInBy, createdAt, secondFactorAt, emailProvenAt = null }: EnrolmentFacts,
  nowMs: number,
): 'FACTOR' | 'EMAIL' | null {
  if (hasFactor) return isFresh(secondFactorAt, nowMs) ? null : 'FACTOR';
  const cameByMail = signedInBy !== 'PASSWORD' && isFresh(createdAt, nowMs);
  return cameByMail || isFresh(emailProvenAt, nowMs) ? null : 'EMAIL';
}

/**
 * How long users can work without a second factor after their partner went LIVE, or after joining.
 */
const graceMs = 7 * 86_400_000;

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
