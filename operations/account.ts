import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import {
  browserName,
  missingForEnrolment,
  type NoticeRhythm,
  type NoticeSwitch,
  newDevice,
  noticeRhythms,
  noticeSwitches,
} from '../domain/partners.ts';
import { timeZones } from '../domain/time-zones.ts';
import { dayMs } from '../domain/utc-days.ts';
import { operatorsId } from '../domain/webhooks.ts';
import type { Mail } from '../messaging/message.ts';
import { accountChangeMail, emailCodeMail, newDeviceMail } from '../messaging/portal-mails.ts';
import { endAccessTokens, maxAccessTokens } from '../models/identity/access-tokens.ts';
import { endOperatorTokens } from '../models/identity/operator-tokens.ts';
import { findOwnUser, findSelfInSession } from '../models/identity/own-user.ts';
import {
  enrollSecondFactor,
  forgetDevice,
  noteDevice,
  takeCode,
} from '../models/identity/second-factors.ts';
import {
  endSession,
  endSessions,
  startSession,
  strengthenSession,
} from '../models/identity/sessions.ts';
import type {
  AccessTokenDoc,
  Flash,
  SessionDoc,
  SignedInBy,
  UserDoc,
} from '../models/schemas/people.ts';
import { type CountedMail, sendCounted } from '../models/store/mail-quotas.ts';
import { requireFound } from '../models/store/require-found.ts';
import { writeWithinLimit } from '../models/store/write-within-limit.ts';
import { saveNotices } from '../models/webhooks/operators.ts';
import { newToken, sha256Hex } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import { hashPassword } from '../platform/passwords.ts';
import type { AuditLogDeps, OperationDeps } from './deps.ts';
import { idField, shortText } from './fields.ts';
import { operation, ownAccount } from './operation.ts';
import { codeMinutes, newProofCode, type ProofDeps, takeProofCode } from './proof-codes.ts';

/** How a user signed in, from where, and the hash of their password at that time. */
interface SignIn {
  signedInBy: SignedInBy;
  userAgent: string;
  address: string;
  passwordHash: string | null;
  /** The message on the first page. */
  flash?: Flash;
}

/** Starts a session for a user who has proven their identity. */
export const beginSession = operation({
  name: 'own-session.create',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<SignIn>({
    signedInBy: Joi.string().required(),
    userAgent: Joi.string().allow('').required(),
    address: Joi.string().allow('').required(),
    passwordHash: Joi.string().allow(null).required(),
    flash: Joi.object({ tone: Joi.string().required(), text: Joi.string().required() }),
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: ({ signedInBy }, { partnerId }) => ({
    partnerId,
    targetId: null,
    details: { signedInBy },
  }),

  /** @throws ServiceError CONFLICT if the password was changed in the meantime, which ended all other sessions */
  async run(deps: AuditLogDeps, { passwordHash, ...signIn }, { found: { _id } }) {
    const begun = await startSession(deps, { userId: _id, ...signIn });
    if (await deps.models.users.exists({ _id, passwordHash, disabledAt: null })) return begun;
    await endSession(deps, _id, begun.session._id);
    throw new ServiceError('CONFLICT', 'Your password was changed in the meantime. Sign in again.');
  },

  completion: ({ session }) => ({ targetId: session._id }),
});

export type NotifyDeps = Pick<OperationDeps, 'models' | 'now' | 'sendMessage'> & {
  config: { portal: { url: string } };
  log: Pick<OperationDeps['log'], 'error'>;
};

/**
 * Notifies a user by email of a change to their account, so that they notice if somebody else made it. The change
 * stands whether or not the email can be sent.
 * @param what a sentence, such as "Your password was changed."
 */
export async function notifyOfChange(
  deps: NotifyDeps,
  { _id: userId, email }: { _id: string; email: string | null },
  what: string,
): Promise<void> {
  if (email === null) return;
  const mail = accountChangeMail(deps.config.portal.url, email, { userId, what, at: deps.now() });
  await sendNotice(deps, mail, { kind: 'ACCOUNT', to: email, what });
}

/** Sends an email about what is done already: if it fails, that is logged. */
export async function sendNotice(
  deps: NotifyDeps,
  mail: Mail,
  counted: CountedMail,
): Promise<void> {
  await sendCounted(deps, mail, counted).catch((error: unknown) =>
    deps.log.error({ err: error }, 'a notice was not sent'),
  );
}

/** Sets one's own password, and ends all other sessions and all tokens. */
export const changePassword = operation({
  name: 'own-password.change',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ password: string; sessionId: string }>({
    password: Joi.string().min(12).max(200).required(),
    sessionId: idField,
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: (_input, { partnerId, _id: targetId }) => ({ partnerId, targetId }),

  async run(
    deps: Pick<AuditLogDeps, 'models'> & NotifyDeps,
    { password, sessionId },
    { found: user },
  ) {
    const { models } = deps;
    const { _id: userId, operatorId, secondFactor } = user;
    const passwordHash = await hashPassword(password);
    // The user has entered the second factor, so wrong codes entered by others no longer count.
    const forgiven = secondFactor === null ? {} : { $unset: { wrongCodes: '' } };
    await models.users.updateOne({ _id: userId }, { $set: { passwordHash }, ...forgiven });
    await endSessions({ models }, userId, sessionId);
    await endAccessTokens({ models }, userId);
    await endOperatorTokens(deps, operatorId);
    await notifyOfChange(
      deps,
      user,
      'Your password was changed, and other browsers are signed out.',
    );
  },
});

/** Chooses the notices that one receives by email. */
export const chooseNotices = operation({
  name: 'own-notices.choose',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ notices: NoticeSwitch[]; rhythm: NoticeRhythm }>({
    notices: Joi.array()
      .items(Joi.string().valid(...noticeSwitches.user, ...noticeSwitches.operator))
      .unique()
      .required(),
    rhythm: Joi.string()
      .valid(...noticeRhythms)
      .default('AT_ONCE'),
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: ({ notices, rhythm }, { partnerId, _id }) => ({
    partnerId,
    targetId: _id,
    details: { notices, rhythm },
  }),

  /** @throws ServiceError VALIDATION_FAILED for notices that this user cannot receive */
  async run(
    deps: Pick<OperationDeps, 'models'> & NotifyDeps,
    { notices, rhythm },
    { found: user },
  ) {
    const { models, now } = deps;
    const { _id: userId, partnerId, notifiesOfNewDevices } = user;
    const offered: readonly NoticeSwitch[] =
      noticeSwitches[partnerId === null ? 'operator' : 'user'];
    if (!notices.every((notice) => offered.includes(notice))) {
      throw new ServiceError('VALIDATION_FAILED', 'Choose from your own notices.');
    }
    const told = notices.filter((notice) => notice !== newDevice);
    const whose = { partnerId: partnerId ?? operatorsId, userId };
    await saveNotices(models, whose, told, rhythm, new Date(now()));
    const wants = notices.includes(newDevice);
    await models.users.updateOne({ _id: userId }, { $set: { notifiesOfNewDevices: wants } });
    if (wants || notifiesOfNewDevices === false) return;
    await notifyOfChange(deps, user, 'You are no longer notified of sign-ins with a new browser.');
  },
});

/** Chooses the time zone in which one sees times. */
export const chooseTimeZone = operation({
  name: 'own-time-zone.choose',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ timeZone: string }>({
    timeZone: Joi.string()
      .valid(...timeZones)
      .required(),
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: ({ timeZone }, { partnerId, _id }) => ({
    partnerId,
    targetId: _id,
    details: { timeZone },
  }),

  async run({ models }: Pick<OperationDeps, 'models'>, { timeZone }, { found: { _id } }) {
    await models.users.updateOne({ _id }, { $set: { timeZone } });
  },
});

interface AccessTokenFields {
  partnerId: string;
  userId: string;
  name: string;
  days: number;
}

/** Creates a token with which a program acts in its user's name. */
export const createAccessToken = operation({
  name: 'own-access-token.create',
  permission: { operator: null, user: 'read' },
  // It outlives the browser session, so creating one needs a fresh second factor.
  secondFactor: 'ALWAYS',
  input: Joi.object<AccessTokenFields>({
    partnerId: idField,
    userId: idField,
    name: shortText(100).required(),
    days: Joi.number().integer().min(1).max(90).required(),
  }),
  find: () => null,
  approval: 'NONE',
  audit: ({ partnerId, days }) => ({ partnerId, targetId: null, details: { days } }),

  /**
   * @returns the token in clear, which is not stored
   * @throws ServiceError CONFLICT for a user who has the maximum number of tokens
   */
  async run(
    { models, now }: AuditLogDeps,
    { partnerId, userId, name, days },
    { actor },
  ): Promise<{ accessToken: AccessTokenDoc; token: string }> {
    if (actor.kind === 'user' && userId !== actor.id) {
      throw new ServiceError('FORBIDDEN', 'You can create tokens only for yourself.');
    }
    const token = `pat_${newToken()}`;
    const accessToken: AccessTokenDoc = {
      _id: newId('accessToken'),
      partnerId,
      userId,
      name,
      tokenHash: sha256Hex(token),
      createdAt: new Date(now()),
      expiresAt: new Date(now() + days * dayMs),
      lastUsedAt: null,
      lastUsedFrom: null,
    };
    const held = { userId, expiresAt: { $gt: accessToken.createdAt } };
    const isWritten = await writeWithinLimit(
      models,
      { partnerId, max: maxAccessTokens },
      (session) => models.accessTokens.countDocuments(held, { session }),
      (session) => models.accessTokens.create([accessToken], { session }),
    );
    if (isWritten) return { accessToken, token };
    throw new ServiceError(
      'CONFLICT',
      `You have ${maxAccessTokens} access tokens already. Revoke one that is no longer used.`,
    );
  },

  completion: ({ accessToken: { _id: targetId } }) => ({ targetId }),
});

/** Ends one of one's own sessions, or all others. */
export const endOwnSessions = operation({
  name: 'own-session.revoke',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ sessionId: string } | { allBut: string }>({
    sessionId: Joi.string(),
    allBut: Joi.string(),
  }).xor('sessionId', 'allBut'),
  async find({ models }, which, { id }) {
    const user = await findOwnUser(models, id);
    if ('allBut' in which) return { ...user, targetId: user._id };
    const session = await models.sessions.findOne({ _id: which.sessionId, userId: user._id });
    return { ...user, targetId: requireFound(session, 'session', which.sessionId)._id };
  },
  approval: 'NONE',
  audit: (_input, { partnerId, targetId }) => ({ partnerId, targetId }),

  async run({ models }: Pick<AuditLogDeps, 'models'>, which, { found: { _id: userId } }) {
    if ('allBut' in which) await endSessions({ models }, userId, which.allBut);
    else await endSession({ models }, userId, which.sessionId);
  },
});

interface Enrolment {
  /** The current session. */
  sessionId: string;
  /** The secret of the authenticator app. */
  secret: string;
  /** The time step of the code that proved it. */
  step: number;
}

/** Sets up one's own second factor, and replaces any earlier one. */
export const enrollOwnFactor = operation({
  name: 'own-second-factor.enroll',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<Enrolment>({
    sessionId: idField,
    secret: Joi.string().required(),
    step: Joi.number().integer().required(),
  }),
  find: ({ models }, { sessionId }, { id }) => findSelfInSession(models, id, sessionId),
  approval: 'NONE',
  audit: (_input, { user: { partnerId, _id: targetId } }) => ({ partnerId, targetId }),

  /**
   * @returns the recovery codes in clear text, only once
   * @throws ServiceError FORBIDDEN unless the earlier factor was entered, or the first one confirmed by email
   */
  async run(
    deps: Pick<OperationDeps, 'config' | 'models' | 'sealer' | 'now' | 'sendMessage' | 'log'>,
    { sessionId: _session, ...proved },
    { found: { user, session } },
  ): Promise<string[]> {
    requireEnrolment(user, session, deps.now());
    const { customerHashKey } = deps.config;
    const codes = await enrollSecondFactor({ ...deps, customerHashKey }, user._id, proved);
    await notifyOfChange(deps, user, 'A second factor was set up for your account.');
    return codes;
  },
});

/** @throws ServiceError FORBIDDEN unless the earlier factor was entered, or the first one confirmed by email */
export function requireEnrolment(
  { secondFactor }: UserDoc,
  session: SessionDoc,
  nowMs: number,
): void {
  const hasFactor = secondFactor !== null;
  const missing = missingForEnrolment({ ...session, hasFactor }, nowMs);
  if (missing === 'FACTOR')
    throw new ServiceError('FORBIDDEN', 'Confirm your second factor first.');
  if (missing === 'EMAIL') {
    throw new ServiceError('FORBIDDEN', 'Confirm your identity by email first.');
  }
}

/** Enters one's own second factor in a session, whose cookie is renewed. */
export const giveSecondFactor = operation({
  name: 'own-second-factor.give',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ code: string; sessionId: string }>({
    code: Joi.string().required(),
    sessionId: idField,
  }),
  find: ({ models }, { sessionId }, { id }) => findSelfInSession(models, id, sessionId),
  approval: 'NONE',
  audit: ({ sessionId: targetId }, { user: { partnerId } }) => ({ partnerId, targetId }),

  /**
   * @returns the cookie's new value in clear text
   * @throws ServiceError VALIDATION_FAILED for a wrong code
   */
  async run(
    deps: Pick<OperationDeps, 'config' | 'models' | 'sealer' | 'now'>,
    { code },
    { found: { user, session } },
  ): Promise<string> {
    const { customerHashKey } = deps.config;
    if (await takeCode({ ...deps, customerHashKey }, user, code)) {
      return await strengthenSession(deps, session);
    }
    throw new ServiceError('VALIDATION_FAILED', 'This code is wrong or has already been used.');
  },
});

/**
 * Notifies a user by email of a sign-in with a new browser, unless they opted out.
 * @param device the value of the browser's cookie
 * @throws the mail server's error; the user is notified at the next sign-in with this browser
 */
export async function notifyOfNewDevice(
  deps: NotifyDeps,
  { _id: userId, email, notifiesOfNewDevices }: UserDoc,
  { device, address, userAgent }: { device: string; address: string; userAgent: string },
): Promise<void> {
  const { models, config } = deps;
  const at = deps.now();
  const { isNew } = await noteDevice(models, userId, device, new Date(at));
  if (!isNew || email === null || notifiesOfNewDevices === false) return;
  const signedIn = { userId, browser: browserName(userAgent), address, at };
  try {
    const mail = newDeviceMail(config.portal.url, email, signedIn);
    await sendCounted(deps, mail, { kind: 'ACCOUNT', to: email, what: 'new device' });
  } catch (error) {
    await forgetDevice(models, userId, device);
    throw error;
  }
}

/** Enters the emailed code, which proves that the signed-in person can read the user's email. */
export const proveEmail = operation({
  name: 'own-email.prove',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ sessionId: string; code: string }>({
    sessionId: idField,
    code: Joi.string().trim().max(20).required(),
  }),
  find: ({ models }, { sessionId }, { id }) => findSelfInSession(models, id, sessionId),
  approval: 'NONE',
  audit: ({ sessionId: targetId }, { user: { partnerId } }) => ({ partnerId, targetId }),

  /** @throws ServiceError VALIDATION_FAILED for a wrong code, after too many attempts, and once it has expired */
  async run(deps: ProofDeps, { code }, { found: { session } }): Promise<void> {
    const proof = { kind: 'emailCode', of: session._id, code } as const;
    const { codeHash } = await takeProofCode(deps, proof);
    await deps.models.sessions.updateOne(
      { _id: session._id, 'emailCode.codeHash': codeHash },
      { $set: { emailProvenAt: new Date(deps.now()), emailCode: null } },
    );
  },
});

/** Revokes one of one's own access tokens, with immediate effect. */
export const revokeAccessToken = operation({
  name: 'own-access-token.revoke',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ accessTokenId: string }>({ accessTokenId: idField }),
  async find({ models }, { accessTokenId: _id }, { id }) {
    const user = await findOwnUser(models, id);
    requireFound(await models.accessTokens.exists({ _id, userId: user._id }), 'access token', _id);
    return user;
  },
  approval: 'NONE',
  audit: ({ accessTokenId: targetId }, { partnerId }) => ({ partnerId, targetId }),

  async run(
    { models }: Pick<AuditLogDeps, 'models'>,
    { accessTokenId },
    { found: { _id: userId } },
  ) {
    await models.accessTokens.deleteOne({ _id: accessTokenId, userId });
  },
});

/** Emails a code to one's own address, to prove in this session that one can read it. */
export const sendEmailCode = operation({
  name: 'own-email.send-code',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ sessionId: string }>({ sessionId: idField }),
  find: ({ models }, { sessionId }, { id }) => findSelfInSession(models, id, sessionId),
  approval: 'NONE',
  audit: ({ sessionId: targetId }, { user: { partnerId } }) => ({ partnerId, targetId }),

  /** @throws ServiceError CONFLICT for a user without an address; RATE_LIMITED after too many codes today */
  async run(
    deps: ProofDeps & Pick<OperationDeps, 'sendMessage'>,
    _input,
    { found: { user, session } },
  ): Promise<void> {
    if (user.email === null)
      throw new ServiceError('CONFLICT', 'Your account has no email address.');
    const { email: to } = user;
    const proof = { kind: 'emailCode', of: session._id, to } as const;
    const write = async () =>
      emailCodeMail(to, { code: await newProofCode(deps, proof), codeMinutes });
    if (await sendCounted(deps, write, { kind: 'ACCOUNT', to, what: 'code' })) return;
    throw new ServiceError('RATE_LIMITED', 'Too many codes were sent today. Try again tomorrow.');
  },
});
