import type { Role } from '../domain/operators.ts';
import type { PartnerRole } from '../domain/partners.ts';

/**
 * When the second factor was last given in this session; null if never. `TOKEN` for a bearer token, which
 * needs no second factor.
 */
export type GivenFactor = Date | 'TOKEN' | null;

interface PersonActor {
  /** `opr_…` or `usr_…`, as in the audit log. */
  id: string;
  requestId: string;
  factor: GivenFactor;
}

export interface OperatorActor extends PersonActor {
  kind: 'operator';
  role: Role;
}

/** A partner's user, who can act only on that partner's records. */
export interface UserActor extends PersonActor {
  kind: 'user';
  role: PartnerRole;
  partnerId: string;
}

/** Not a person: commands that create the first operator and the first funds, or repeat erasures. */
export interface SystemActor {
  kind: 'system';
  id: 'system';
  /** The name of the command. */
  requestId: string;
}

export type Actor = OperatorActor | UserActor | SystemActor;

/** @param by the name of the command */
export const system = (by: string): SystemActor => ({
  kind: 'system',
  id: 'system',
  requestId: by,
});
