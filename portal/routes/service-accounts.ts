import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import { type ServiceAccountScope, serviceAccountScopes } from '../../domain/partners.ts';
import { execute } from '../../operations/execute.ts';
import {
  createServiceAccount,
  type RevealedServiceAccount,
  revokeServiceAccount,
  rotateServiceAccount,
} from '../../operations/service-accounts.ts';
import { findOwnServiceAccount } from '../../views/integrations.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { nameField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import {
  newServiceAccountPage,
  serviceAccountDays,
  serviceAccountPage,
} from '../pages/service-accounts.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';
import { reveal } from '../session/reveal.ts';

interface NewAccount {
  name: string;
  mode: Mode;
  reads: ServiceAccountScope[];
  days: (typeof serviceAccountDays)[number];
}

const newSchema = Joi.object<NewAccount>({
  name: nameField.required(),
  mode: Joi.string()
    .valid(...modes)
    .required()
    .messages({ 'any.required': 'Choose a mode.', 'any.only': 'Choose a mode.' }),
  reads: Joi.array()
    .items(Joi.string().valid(...serviceAccountScopes))
    .single()
    .min(1)
    .unique()
    .required()
    .messages({ 'any.required': 'Select at least one.' }),
  days: Joi.string()
    .valid(...serviceAccountDays)
    .required()
    .messages({ 'any.required': 'Choose a duration.', 'any.only': 'Choose a duration.' }),
});
const emptySchema = Joi.object({});

const base = '/service-accounts';
const reading = { audience: 'partner', permission: 'read' } as const;
const changing = { audience: 'partner', permission: 'service-account.change' } as const;
const one = { params: { serviceAccountId: 'serviceAccount' } } as const;
const creating = { ...changing, path: `${base}/new`, secondFactor: true } as const;
const rotating = {
  ...changing,
  ...one,
  path: `${base}/:serviceAccountId/rotate`,
  secondFactor: true,
} as const;

/** Service accounts: read-only access for a partner's programs, independent of any person. */
export function serviceAccountPages(routes: Routes): void {
  routes.page(creating, showNew);
  routes.action(creating, { schema: newSchema, act: create, retry: showNew });
  routes.page({ ...reading, ...one, path: `${base}/:serviceAccountId` }, showOne);
  routes.action(rotating, { schema: emptySchema, act: rotate, retry: showOne });
  routes.action(
    { ...changing, ...one, path: `${base}/:serviceAccountId/revoke` },
    { schema: emptySchema, act: revoke },
  );
}

const accountOf = (ctx: PageContext<'partner'>, deps: PageDeps) =>
  findOwnServiceAccount(deps, ownScope(ctx), param(ctx, 'serviceAccountId'));

async function showOne(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, serviceAccountPage(ctx, await accountOf(ctx, deps), deps));
}

function showNew(ctx: PageContext<'partner'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newServiceAccountPage(ctx, modeOf(ctx), filled));
}

async function create(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  typed: NewAccount,
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  const days = typed.days === 'never' ? null : Number(typed.days);
  const wanted = { ...typed, partnerId, days };
  await revealToken(ctx, deps, await execute(deps, createServiceAccount, actorOf(ctx), wanted));
}

async function rotate(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { _id: serviceAccountId, partnerId } = await accountOf(ctx, deps);
  const key = { partnerId, serviceAccountId };
  await revealToken(ctx, deps, await execute(deps, rotateServiceAccount, actorOf(ctx), key));
}

async function revealToken(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { account, token }: RevealedServiceAccount,
): Promise<void> {
  const { _id, name, mode } = account;
  await reveal(deps, ctx, { kind: 'SERVICE_TOKEN', name, mode, token }, `${base}/${_id}`);
}

async function revoke(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { _id: serviceAccountId, partnerId } = await accountOf(ctx, deps);
  await execute(deps, revokeServiceAccount, actorOf(ctx), { partnerId, serviceAccountId });
  redirect(ctx, `${base}/${serviceAccountId}`, 'Service account revoked.');
}
