import { randomUUID } from 'node:crypto';
import type { Mode } from '../../../domain/events.ts';
import { createCredential } from '../../../models/commands/create-credential.ts';
import { createIntegration } from '../../../models/commands/create-integration.ts';
import { createOperator } from '../../../models/commands/create-operator.ts';
import { createPlanVersion } from '../../../models/commands/create-plan-version.ts';
import { createRule } from '../../../models/commands/create-rule.ts';
import { deposit } from '../../../models/commands/deposit.ts';
import { inviteUser } from '../../../models/commands/invite-user.ts';
import { propose } from '../../../models/commands/propose.ts';
import { integrationEventOf } from '../../../models/integration-events.ts';
import { startSession } from '../../../models/sessions.ts';
import { createSignInLink } from '../../../models/sign-in-links.ts';
import { newId } from '../../../platform/ids.ts';
import type { Mail } from '../../../platform/mailer.ts';
import type { ParamKind } from '../../../portal/params.ts';
import type { Route } from '../../../portal/route.ts';
import { claimTokenOf } from '../../helpers/claim-token.ts';
import { PartnerBackend } from '../../helpers/partner-backend.ts';
import { aUser } from './people.ts';
import type { TestPortal } from './portal.ts';
import { storeReview } from './stored.ts';

/** Whose example is made, and what of theirs must not show to anybody else. */
export interface Owner {
  partnerId: string;
  /** A word that everything made for the partner has in it, wherever it has a name. */
  mark: string;
}

type Fixture = (portal: TestPortal, owner: Owner) => Promise<string>;

const integration: Fixture = async ({ deps }, { partnerId, mark }) =>
  (await createIntegration(deps, { partnerId, name: `${mark} shop` }))._id;

const credentialOf = async (portal: TestPortal, owner: Owner, mode: Mode = 'TEST') => {
  const integrationId = await integration(portal, owner);
  const { partnerId } = owner;
  return await createCredential(portal.deps, {
    ...{ partnerId, integrationId, mode, scopes: ['events:read'] },
  });
};

const ruleOf =
  (mode: Mode): Fixture =>
  async ({ deps }, { partnerId }) =>
    (
      await createRule(deps, partnerId, {
        ...{ mode, currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 },
      })
    )._id;

/** An example of each kind of what may stand in a path, made for a partner. */
export const fixtures: Record<ParamKind, Fixture> = {
  partner: async (_, { partnerId }) => partnerId,
  user: async (portal, { partnerId, mark }) =>
    (await aUser(portal, { partnerId, name: `${mark} user`, role: 'viewer' }))._id,
  invitation: async ({ deps }, owner) => (await invited(deps, owner)).invitationId,
  invitationToken: async ({ deps }, owner) => (await invited(deps, owner)).token,
  session: async (portal, { partnerId, mark }) => {
    const { _id: userId } = await aUser(portal, { partnerId, role: 'viewer' });
    const { session } = await startSession(portal.deps, {
      ...{ userId, signedInBy: 'PASSWORD', userAgent: `${mark} browser`, address: '192.0.2.1' },
    });
    return session._id;
  },
  signInToken: async (portal, { partnerId }) =>
    await createSignInLink(portal.deps, (await aUser(portal, { partnerId }))._id),
  integration,
  credential: async (portal, owner) => (await credentialOf(portal, owner)).credential._id,
  secret: async (portal, owner) =>
    (await credentialOf(portal, owner)).credential.secrets[0]?.secretId ?? '',
  rule: ruleOf('TEST'),
  liveCredential: async (portal, owner) =>
    (await credentialOf(portal, owner, 'LIVE')).credential._id,
  liveSecret: async (portal, owner) =>
    (await credentialOf(portal, owner, 'LIVE')).credential.secrets[0]?.secretId ?? '',
  liveRule: ruleOf('LIVE'),
  claimToken: async (portal, owner) => {
    const { models, sealer, apiUrl: baseUrl } = portal.deps;
    const { partnerId } = owner;
    const integrationId = await integration(portal, owner);
    const shop = new PartnerBackend({
      ...{ baseUrl, partnerId, integrationId, mode: 'TEST', scopes: ['events:write'] },
    });
    await shop.addCredential(models, sealer);
    const { body, text } = await shop.purchase();
    if (!body.success) throw new Error(text);
    return await claimTokenOf(portal.deps, body.eventId);
  },
  event: async (portal, owner) => (await storeReview(portal, owner)).refund._id,
  reward: async (portal, owner) => (await storeReview(portal, owner)).reward._id,
  review: async (portal, owner) => (await storeReview(portal, owner)).review._id,
  customer: async (portal, owner) => (await storeReview(portal, owner)).reward.customerKey,
  async request(portal, owner) {
    const { refund } = await storeReview(portal, owner);
    await portal.deps.models.integrationEvents.create(integrationEventOf(refund, '192.0.2.1'));
    return refund.requestId;
  },
  async transaction({ deps }, { partnerId, mark }) {
    const wallet = { mode: 'LIVE', partnerId } as const;
    const externalReference = `${mark} ${randomUUID()}`;
    return (await deposit(deps, wallet, { amountCents: 1_000, externalReference })).entry._id;
  },
  async proposal({ deps }, { partnerId, mark }) {
    const money = { amountCents: 1_000, externalReference: `${mark} ${randomUUID()}` };
    const wallet = { mode: 'LIVE', partnerId } as const;
    const { proposal } = await propose(deps, newId('admin'), {
      ...{ action: 'partner.top-up', partnerId, targetId: partnerId, arguments: { wallet, money } },
      customerKey: null,
      details: { reference: money.externalReference, amountCents: money.amountCents },
    });
    return proposal._id;
  },
  operator: async ({ deps }, { mark }) =>
    (await createOperator(deps, { name: `${mark} operator`, role: 'viewer' })).admin._id,
  planVersion: async ({ deps }, { mark }) =>
    (
      await createPlanVersion(deps, {
        ...{ planCode: `p${randomUUID()}`, name: `${mark} plan`, currency: 'USD', features: [] },
        ...{ monthlyPriceCents: 100, annualPriceCents: 1_000, includedPoints: 10 },
        ...{ overageRateMicrosPerPoint: 1, apiRateLimitPerMinute: 60, supportClass: 'standard' },
      })
    )._id,
  async auditEntry({ deps: { models } }, { partnerId }) {
    const _id = newId('audit');
    await models.auditEntries.create({
      ...{ _id, partnerId, actorId: 'system', action: 'partner.update', targetId: partnerId },
      ...{ details: {}, status: 'INTENDED', requestId: newId('request'), at: new Date() },
    });
    return _id;
  },
  async auditRun({ deps: { models } }, { partnerId }) {
    const _id = newId('auditRun');
    const at = new Date();
    await models.auditRuns.create({
      ...{ _id, partnerId, startedAt: at, endedAt: at, lookedAt: 1, faults: 1, summary: 'one' },
      checks: [{ name: 'a check', lookedAt: 1, faults: 1, culprits: ['a culprit'] }],
    });
    return _id;
  },
};

/**
 * Something that each field of a form may have, by its name; a form is sent what it asks for. A new name
 * of a field belongs here, else its route is refused for what is missing and not for whose it is.
 */
export const plausible: Readonly<Record<string, string>> = {
  name: 'A name',
  email: 'somebody@else.example',
  role: 'viewer',
  reason: 'because',
  amount: '12.50',
  reference: 'req_0123456789ABCDEFGHJKMNPQRS',
  threshold: '100',
  integrationId: 'int_0123456789ABCDEFGHJKMNPQRS',
  scopes: 'both',
  replaces: '',
  ...{ kind: 'PER_AMOUNT', points: '10', unitCents: '1.00', currency: 'USD' },
  country: 'US',
};

const invited = async ({ models, now }: TestPortal['deps'], { partnerId, mark }: Owner) => {
  const mails: Mail[] = [];
  const sendMail = async (mail: Mail) => void mails.push(mail);
  const email = `${mark}-${randomUUID()}@invited.example`;
  const { _id: invitationId } = await inviteUser(
    { models, now, sendMail, portalUrl: '' },
    { partnerId, email, role: 'viewer', invitedBy: 'system' },
  );
  return { invitationId, token: tokenIn(mails[0]) };
};

/** The token in a mail of the portal. */
export const tokenIn = (mail: Mail | undefined): string =>
  /\/(?:link|invitations)\/([\w-]{43})\b/.exec(mail?.text ?? '')?.[1] ?? '';

/** The path of a route, with examples of an owner in it. */
export async function filledPath(
  portal: TestPortal,
  { path, params }: Pick<Route, 'path' | 'params'>,
  owner: Owner,
): Promise<string> {
  let filled = path;
  for (const [name, kind] of Object.entries(params)) {
    const make = fixtures[kind];
    if (!make) throw new Error(`${path}: there is no example of ${kind}`);
    filled = filled.replace(`:${name}`, encodeURIComponent(await make(portal, owner)));
  }
  return filled;
}
