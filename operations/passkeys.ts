import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { factorDueAt } from '../domain/partners.ts';
import { findOwnUser, findSelfInSession } from '../models/identity/own-user.ts';
import { findPartner } from '../models/identity/partners.ts';
import * as factors from '../models/identity/second-factors.ts';
import { strengthenSession, takeChallenge } from '../models/identity/sessions.ts';
import type { SessionDoc, UserDoc } from '../models/schemas/people.ts';
import { requireFound } from '../models/store/require-found.ts';
import { newId } from '../platform/ids.ts';
import {
  type Expected,
  relyingPartyOf,
  verifyCreation,
  verifyRequest,
} from '../platform/passkeys.ts';
import { notifyOfChange, requireEnrolment } from './account.ts';
import type { OperationDeps } from './deps.ts';
import { idField, shortText } from './fields.ts';
import { operation, ownAccount } from './operation.ts';

type PasskeyDeps = Pick<OperationDeps, 'config' | 'models' | 'now'>;

interface Signed {
  sessionId: string;
  /** What the browser made of the options, as JSON. */
  credential: string;
}

const signed = { sessionId: idField, credential: Joi.string().max(20_000).required() };

/** Adds a passkey to one's own second factor, which it sets up if it is the first. */
export const addPasskey = operation({
  name: 'own-passkey.add',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<Signed & { name: string }>({ ...signed, name: shortText(100).required() }),
  find: ({ models }, { sessionId }, { id }) => findSelfInSession(models, id, sessionId),
  approval: 'NONE',
  audit: (_input, { user: { partnerId, _id: targetId } }) => ({ partnerId, targetId }),

  /**
   * @returns the recovery codes in clear text, only once; none unless it is the first factor
   * @throws ServiceError FORBIDDEN unless the earlier factor was entered, or the first one confirmed by email;
   *   VALIDATION_FAILED for a passkey that did not sign the session's challenge; CONFLICT for one that is there, and
   *   beyond the maximum
   */
  async run(
    deps: PasskeyDeps & Pick<OperationDeps, 'sendMessage' | 'log'>,
    { name, credential },
    { found: { user, session } },
  ): Promise<string[]> {
    requireEnrolment(user, session, deps.now());
    const verified = await verifyCreation(await takeExpected(deps, session), credential);
    if (verified === null) throw refused();
    const { models, config, now } = deps;
    const passkey = {
      _id: newId('passkey'),
      name,
      ...verified,
      createdAt: new Date(now()),
      lastUsedAt: null,
    };
    const { customerHashKey } = config;
    const codes = await factors.savePasskey({ models, customerHashKey }, user._id, passkey);
    if (codes === null) {
      const most = `You have ${factors.maxPasskeys} passkeys already. Remove one that is no longer used.`;
      throw new ServiceError('CONFLICT', most);
    }
    await notifyOfChange(deps, user, 'A passkey was added to your account.');
    return codes;
  },
});

/** Enters one of one's own passkeys as the second factor in a session, whose cookie is renewed. */
export const givePasskey = operation({
  name: 'own-passkey.give',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<Signed>(signed),
  find: ({ models }, { sessionId }, { id }) => findSelfInSession(models, id, sessionId),
  approval: 'NONE',
  audit: ({ sessionId: targetId }, { user: { partnerId } }) => ({ partnerId, targetId }),

  /**
   * @returns the cookie's new value in clear text
   * @throws ServiceError VALIDATION_FAILED for a passkey that did not sign the session's challenge
   */
  async run(deps: PasskeyDeps, { credential }, { found: { user, session } }): Promise<string> {
    const passkeys = user.secondFactor?.passkeys ?? [];
    const verified = await verifyRequest(await takeExpected(deps, session), passkeys, credential);
    if (verified === null || !(await factors.usePasskey(deps, user._id, verified))) throw refused();
    return await strengthenSession(deps, session);
  },
});

/** Removes one of one's own passkeys, unless it is the last factor of somebody who needs one. */
export const removePasskey = operation({
  name: 'own-passkey.remove',
  permission: ownAccount,
  secondFactor: 'ALWAYS',
  input: Joi.object<{ passkeyId: string }>({ passkeyId: idField }),
  async find({ models }, { passkeyId }, { id }) {
    const user = await findOwnUser(models, id);
    const all = user.secondFactor?.passkeys ?? [];
    requireFound(all.find(({ _id }) => _id === passkeyId) ?? null, 'passkey', passkeyId);
    return user;
  },
  approval: 'NONE',
  audit: ({ passkeyId: targetId }, { partnerId }) => ({ partnerId, targetId }),

  /** @throws ServiceError CONFLICT for the last factor of an operator, or of a LIVE partner's user */
  async run(
    deps: Pick<OperationDeps, 'config' | 'models' | 'now' | 'sendMessage' | 'log'>,
    { passkeyId },
    { found: user },
  ): Promise<void> {
    const { models } = deps;
    const mayBeLast = !(await mustHaveFactor(deps, user));
    if (!(await factors.deletePasskey(models, user._id, passkeyId, { mayBeLast }))) {
      throw new ServiceError('CONFLICT', 'This is your only second factor. Set up another first.');
    }
    await notifyOfChange(deps, user, 'A passkey was removed from your account.');
  },
});

async function mustHaveFactor(
  { models }: Pick<OperationDeps, 'models'>,
  { partnerId, createdAt }: UserDoc,
): Promise<boolean> {
  if (partnerId === null) return true;
  const { goLive } = await findPartner(models, partnerId);
  return factorDueAt({ createdAt, secondFactor: null }, goLive) !== null;
}

/** What a passkey must have signed, and where. Its challenge is used up, whatever follows. */
async function takeExpected(deps: PasskeyDeps, session: SessionDoc): Promise<Expected> {
  const challenge = await takeChallenge(deps, session);
  const relyingParty = relyingPartyOf(deps.config.portal.url);
  if (challenge === null || relyingParty === null) throw refused();
  return { challenge, relyingParty };
}

const refused = () =>
  new ServiceError('VALIDATION_FAILED', 'This passkey was not accepted. Try again.');
