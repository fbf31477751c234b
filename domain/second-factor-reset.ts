import type { Refusal } from './four-eyes.ts';
import type { PartnerRole } from './partner-roles.ts';

/** Who takes a second factor away, as the audit trail names them. */
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
    return { code: 'FORBIDDEN', message: 'Nobody takes their own second factor away.' };
  }
  if (by.kind === 'operator' && whose.partnerRole !== null && whose.partnerRole !== 'owner') {
    return { code: 'CONFLICT', message: 'An owner of the team does this for its other users.' };
  }
  if (!whose.hasFactor) return { code: 'CONFLICT', message: 'There is no second factor.' };
  return undefined;
}
