import { isRaise, type Role, roles } from './operators.ts';
import { type PartnerRole, partnerRoles } from './partners.ts';

/** The most that the members of an identity provider's group are, as operators or in one partner's team. */
export type GroupRole =
  | { group: string; partnerId: null; role: Role }
  | { group: string; partnerId: string; role: PartnerRole };

const entryPattern = /^(?<group>[^=,]{1,200})=(?:(?<partnerId>prt_[0-9A-Z]{26}):)?(?<role>[a-z]+)$/;

/**
 * Parses `group=role` for operators and `group=prt_…:role` for a partner's team, separated by commas.
 * @throws Error for anything else
 */
export function parseGroupRoles(text: string): GroupRole[] {
  return text.split(',').map((entry): GroupRole => {
    const { group = '', partnerId, role } = entryPattern.exec(entry.trim())?.groups ?? {};
    if (partnerId === undefined) {
      const known = roles.find((one) => one === role);
      if (known !== undefined) return { group, partnerId: null, role: known };
    } else {
      const known = partnerRoles.find((one) => one === role);
      if (known !== undefined) return { group, partnerId, role: known };
    }
    throw new Error('not a group and a role');
  });
}

/** Whom the identity provider lets in, and for how long a sign-in there counts. */
export interface AdmissionRules {
  oidc: { groups: readonly GroupRole[] | null; signInMs: number } | null;
  hasPasswords: boolean;
}

/** Whether the identity provider decides who gets in, or is one way in among others. */
export const isProviderDecisive = ({ oidc, hasPasswords }: AdmissionRules): boolean =>
  oidc !== null && (oidc.groups !== null || !hasPasswords);

/**
 * Whether somebody's sessions and tokens have outlived what they were given for: a group or an account that is gone
 * at the provider is only noticed at a sign-in there.
 * @param admittedAt when they last signed in there; null or undefined if never
 */
export function isAdmissionOver(
  rules: AdmissionRules,
  admittedAt: Date | null | undefined,
  nowMs: number,
): boolean {
  const { oidc, hasPasswords } = rules;
  if (oidc === null || !isProviderDecisive(rules)) return false;
  // Without a sign-in there, it gave nothing, if there is another way in.
  if (!admittedAt) return !hasPasswords;
  return nowMs - admittedAt.getTime() >= oidc.signInMs;
}

/**
 * The role of an operator who signs in with these groups. Groups never give more than the operator has already,
 * since two operators decide about that; whoever is in no mapped group does not get in.
 */
export function operatorRoleOf(
  mapped: readonly GroupRole[],
  groups: readonly string[],
  has: Role,
): Role | null {
  const given = mapped.flatMap((one) =>
    one.partnerId === null && groups.includes(one.group) ? [one.role] : [],
  );
  if (given.some((role) => !isRaise(role, has))) return has;
  return (
    given
      .toSorted((a, b) => roles.indexOf(b) - roles.indexOf(a))
      .find((role) => !isRaise(has, role)) ?? (given.length > 0 ? 'viewer' : null)
  );
}

/** The same for a member of a partner's team, whom an owner invited. */
export function partnerRoleOf(
  mapped: readonly GroupRole[],
  groups: readonly string[],
  { partnerId, role: has }: { partnerId: string; role: PartnerRole },
): PartnerRole | null {
  const given = mapped.flatMap((one) =>
    one.partnerId === partnerId && groups.includes(one.group)
      ? [partnerRoles.indexOf(one.role)]
      : [],
  );
  if (given.length === 0) return null;
  // From the one that may do most.
  return partnerRoles[Math.max(partnerRoles.indexOf(has), Math.min(...given))] ?? null;
}
