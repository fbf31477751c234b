import Joi from 'joi';
import {
  type NoticeRhythm,
  type NoticeSwitch,
  newDevice,
  noticeRhythms,
  noticeSwitches,
} from '../../domain/partners.ts';
import { timeZones } from '../../domain/time-zones.ts';
import {
  changePassword,
  chooseNotices,
  chooseTimeZone,
  createAccessToken,
  endOwnSessions,
  revokeAccessToken,
} from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import { relyingPartyOf } from '../../platform/passkeys.ts';
import { verifyPassword } from '../../platform/passwords.ts';
import { readAccount, readNotices } from '../../views/account.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { chosenNumber, currentPassword, nameField, newPassword } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled, type Problems } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import { accountPage, newTokenPage, noticesPage, tokenDays } from '../pages/account.ts';
import { noPasskeysHere } from '../pages/passkeys.ts';
import type { Routes } from '../routing/route-table.ts';
import { reveal } from '../session/reveal.ts';
import { requirePasswords } from './sign-in.ts';

interface PasswordForm {
  currentPassword?: string;
  newPassword: string;
}
const passwordSchema = Joi.object<PasswordForm>({
  currentPassword,
  newPassword: newPassword.required(),
});
const zoneSchema = Joi.object<{ timeZone: string }>({
  timeZone: Joi.string()
    .valid(...timeZones)
    .required()
    .messages({ 'any.only': 'Choose a time zone.', 'any.required': 'Choose a time zone.' }),
});
const user = { audience: 'user', permission: null } as const;
const ofSession = { ...user, params: { sessionId: 'session' } } as const;
/**
 * Someone who just signed in by an emailed link does not need the old password, which they may have
 * forgotten.
 */
const linkFreshMs = 15 * 60_000;

/** The viewer's account: password, second factor and sessions. */
export function accountPages(routes: Routes): void {
  const schema = Joi.object({});
  routes.page({ ...user, path: '/account' }, showAccount);
  routes.action(
    { ...user, path: '/account/password' },
    { schema: passwordSchema, check: checkPassword, act: savePassword, retry: showAccount },
  );
  routes.action(
    { ...user, path: '/account/time-zone' },
    { schema: zoneSchema, act: saveTimeZone, retry: showAccount },
  );
  routes.action(
    { ...ofSession, path: '/account/sessions/:sessionId/end' },
    { schema, act: endOneSession },
  );
  routes.action(
    { ...user, path: '/account/sessions/end-others' },
    { schema, act: endOtherSessions },
  );
}

async function showAccount(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const account = await readAccount(deps, ctx.state.viewer.user._id);
  const needsCurrent = needsCurrentPassword(ctx, deps.now());
  const { hasPasswords, portal } = deps.config;
  const noPasskeys = relyingPartyOf(portal.url) === null ? noPasskeysHere(portal.url) : null;
  render(ctx, accountPage(ctx, account, { needsCurrent, hasPasswords, noPasskeys, filled }));
}

function needsCurrentPassword({ state }: PageContext<'user'>, nowMs: number): boolean {
  const { user: who, session } = state.viewer;
  const cameByLink =
    session.signedInBy === 'LINK' && nowMs - session.createdAt.getTime() < linkFreshMs;
  return who.passwordHash !== null && !cameByLink;
}

const checkPassword = (
  { state }: PageContext<'user'>,
  _deps: PageDeps,
  { newPassword: password }: Partial<PasswordForm>,
): Problems =>
  password !== undefined && password.toLowerCase() === state.viewer.user.email
    ? { newPassword: 'Your password can’t be your email address.' }
    : {};

async function savePassword(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  { currentPassword: current = '', newPassword: password }: PasswordForm,
): Promise<void> {
  requirePasswords(deps);
  const { throttle } = deps;
  const { user: who, session } = ctx.state.viewer;
  throttle.tryNewPassword(who._id);
  if (needsCurrentPassword(ctx, deps.now())) {
    throttle.tryOwnPassword(who._id);
    if (!(await verifyPassword(current, who.passwordHash ?? ''))) {
      throw new FieldError('currentPassword', 'Wrong password.');
    }
    throttle.ownPasswordWasRight(who._id);
  }
  await execute(deps, changePassword, actorOf(ctx), { password, sessionId: session._id });
  redirect(ctx, '/account', 'Password changed. Other browsers have been signed out.');
}

async function saveTimeZone(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  chosen: { timeZone: string },
): Promise<void> {
  await execute(deps, chooseTimeZone, actorOf(ctx), chosen);
  redirect(ctx, '/account', `Times are now shown in ${chosen.timeZone.replaceAll('_', ' ')}.`);
}

async function endOneSession(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  const sessionId = param(ctx, 'sessionId');
  await execute(deps, endOwnSessions, actorOf(ctx), { sessionId });
  redirect(ctx, '/account', 'Browser signed out.');
}

async function endOtherSessions(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  await execute(deps, endOwnSessions, actorOf(ctx), { allBut: ctx.state.viewer.session._id });
  redirect(ctx, '/account', 'All other browsers have been signed out.');
}

const tokenSchema = Joi.object<{ name: string; days: number }>({
  name: nameField.required(),
  days: chosenNumber(tokenDays)
    .required()
    .messages({ 'any.required': 'Choose a duration.', 'any.only': 'Choose a duration.' }),
});

/** A token outlives the session, so creating one needs a recent second factor. */
const creating = {
  path: '/account/access-tokens/new',
  audience: 'partner',
  permission: 'read',
  secondFactor: true,
} as const;
const revoking = {
  path: '/account/access-tokens/:accessTokenId/revoke',
  params: { accessTokenId: 'accessToken' },
  audience: 'user',
  permission: null,
} as const;

/** Users' own access tokens for the terminal. */
export function accessTokenPages(routes: Routes): void {
  routes.page(creating, showNew);
  routes.action(creating, { schema: tokenSchema, act: createToken, retry: showNew });
  routes.action(revoking, { schema: Joi.object({}), act: revokeToken });
}

function showNew(ctx: PageContext<'partner'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newTokenPage(ctx, filled));
}

async function createToken(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { name, days }: { name: string; days: number },
): Promise<void> {
  const { partner, user } = ctx.state.viewer;
  const partnerId = partner._id;
  const { token, accessToken } = await execute(deps, createAccessToken, actorOf(ctx), {
    partnerId,
    userId: user._id,
    name,
    days,
  });
  const what = { kind: 'ACCESS_TOKEN', name: accessToken.name, token } as const;
  await reveal(deps, ctx, what, '/account');
}

async function revokeToken(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  const accessTokenId = param(ctx, 'accessTokenId');
  await execute(deps, revokeAccessToken, actorOf(ctx), { accessTokenId });
  redirect(ctx, '/account', 'Access token revoked.');
}

const choosing = { audience: 'user', permission: null, path: '/account/notices' } as const;

interface Chosen {
  notices: NoticeSwitch[];
  rhythm: NoticeRhythm;
}
const noticesSchema = Joi.object<Chosen>({
  notices: Joi.array()
    .items(Joi.string().valid(...noticeSwitches.user, ...noticeSwitches.operator))
    .single()
    .default([])
    .messages({ 'any.only': 'Choose from the notices below.' }),
  rhythm: Joi.string()
    .valid(...noticeRhythms)
    .default('AT_ONCE'),
});

/** The viewer's email notices. */
export function noticePages(routes: Routes): void {
  routes.page(choosing, showNotices);
  routes.action(choosing, { schema: noticesSchema, act: choose, retry: showNotices });
}

async function showNotices(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  filled?: Filled,
): Promise<void> {
  const { _id, notifiesOfNewDevices } = ctx.state.viewer.user;
  const { notices, rhythm } = await readNotices(deps, _id);
  const chosen = notifiesOfNewDevices === false ? notices : [...notices, newDevice];
  const values = { notices: chosen, rhythm };
  render(ctx, noticesPage(ctx, filled ?? { values, errors: {} }));
}

async function choose(ctx: PageContext<'user'>, deps: PageDeps, chosen: Chosen): Promise<void> {
  await execute(deps, chooseNotices, actorOf(ctx), chosen);
  redirect(ctx, '/account/notices', 'Saved.');
}
