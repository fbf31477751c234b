import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import type { OperatorDoc, UserDoc } from '../schemas/people.ts';

/** A user with the operator or partner they belong to, as stored now. */
export type SignedIn =
  | { kind: 'operator'; user: UserDoc; operator: OperatorDoc }
  | {
      kind: 'partner';
      user: UserDoc;
      partner: PartnerDoc;
      role: NonNullable<UserDoc['role']>;
    };

/** Stores that the identity provider has just let a user in. */
export async function noteAdmission(
  { models, now }: { models: Models; now: () => number },
  userId: string,
): Promise<void> {
  await models.users.updateOne({ _id: userId }, { $set: { admittedAt: new Date(now()) } });
}

/** The user of a session or access token; null once the user is removed or the operator revoked. */
export async function findSignedIn(
  { models }: { models: Models },
  userId: string,
): Promise<SignedIn | null> {
  const user = await models.users.findOne({ _id: userId, disabledAt: null });
  if (user?.operatorId) {
    const operator = await models.operators.findOne({ _id: user.operatorId, revokedAt: null });
    return operator && { kind: 'operator', user, operator };
  }
  if (!user?.partnerId || !user.role) return null;
  const partner = await models.partners.findById(user.partnerId);
  return partner && { kind: 'partner', user, partner, role: user.role };
}
