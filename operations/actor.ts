import type { Role } from '../domain/operator-roles.ts';
import type { PartnerRole } from '../domain/partner-roles.ts';

/**
 * When the second factor was given in this session; null where it was not, and `TOKEN` for a bearer
 * token, whose holder is a program.
 */
export type GivenFactor = Date | 'TOKEN' | null;

interface Person {
  /** `opr_…` or `usr_…`, under which the audit log knows them. */
  id: string;
  /** The request that they ask by. */
  requestId: string;
  factor: GivenFactor;
}

export interface OperatorActor extends Person {
  kind: 'operator';
  role: Role;
}

/** A user of a partner, who acts on what is that partner's alone. */
export interface UserActor extends Person {
  kind: 'user';
  role: PartnerRole;
  partnerId: string;
}

/** Nobody: the first operator and the first funds of an installation, and what an operator's command repeats. */
export interface SystemActor {
  kind: 'system';
  id: 'system';
  /** The command that acts. */
  requestId: string;
}

export type Actor = OperatorActor | UserActor | SystemActor;

/** @param by the command that acts */
export const system = (by: string): SystemActor => ({
  kind: 'system',
  id: 'system',
  requestId: by,
});
