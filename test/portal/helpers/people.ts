import { randomUUID } from 'node:crypto';
import type { Role } from '../../../domain/operators.ts';
import type { PartnerRole } from '../../../domain/partners.ts';
import { startSession, strengthenSession } from '../../../models/identity/sessions.ts';
import type { UserDoc } from '../../../models/schemas/people.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { createFirstOperator, createOperatorUser } from '../../../operations/operators.ts';
import { newId } from '../../../platform/ids.ts';
import { hashPassword } from '../../../platform/passwords.ts';
import { operate } from '../../helpers/operate.ts';
import { Browser } from './browser.ts';
import type { SomePortal } from './portal.ts';

/** The password of all users in the tests. */
export const password = 'correct horse battery';
const passwordHash = await hashPassword(password);

/** A user of a partner; a test changes only the field that it is about. */
export async function aUser(
  { deps: { models } }: { deps: Pick<OperationDeps, 'models'> },
  {
    partnerId,
    role = 'owner' as PartnerRole,
    ...changes
  }: Partial<UserDoc> & { partnerId: string },
): Promise<UserDoc> {
  const user: UserDoc = {
    _id: newId('user'),
    partnerId,
    role,
    operatorId: null,
    name: `A ${role}`,
    email: `${randomUUID()}@users.example`,
    passwordHash,
    secondFactor: null,
    createdAt: new Date(),
    disabledAt: null,
    ...changes,
  };
  await models.users.create(user);
  return user;
}

/** An operator with a portal user. */
export async function anOperator({ deps }: SomePortal, role: Role = 'admin'): Promise<UserDoc> {
  const { operator: admin } = await operate(deps, createFirstOperator, {
    name: `An ${role}`,
    role,
  });
  return await createOperatorUser(deps, admin, { email: `${randomUUID()}@operators.example` });
}

/**
 * A browser with a signed-in user.
 * @param isStrong whether the second factor has just been entered
 */
export async function signedIn(
  portal: SomePortal,
  user: UserDoc,
  { isStrong = true } = {},
): Promise<Browser> {
  const browser = new Browser(portal);
  const { session, token } = await startSession(portal.deps, {
    userId: user._id,
    signedInBy: 'PASSWORD',
    userAgent: 'test',
    address: '127.0.0.1',
  });
  const cookie = isStrong ? await strengthenSession(portal.deps, session) : token;
  browser.cookies.set('session', cookie);
  return browser;
}

/** A browser with a signed-in user of a partner. */
export async function partnerBrowser(
  portal: SomePortal,
  partnerId: string,
  role: PartnerRole = 'owner',
): Promise<Browser> {
  return await signedIn(portal, await aUser(portal, { partnerId, role }));
}

/** A browser with a signed-in operator. */
export async function operatorBrowser(portal: SomePortal, role: Role = 'admin'): Promise<Browser> {
  return await signedIn(portal, await anOperator(portal, role));
}
