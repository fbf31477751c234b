import { randomInt, randomUUID } from 'node:crypto';
import { measureBody } from '../../../clients/typescript/doctor/index.ts';
import type { Mode } from '../../../domain/mode.ts';
import { topUpPostings } from '../../../domain/postings.ts';
import { isMail, type Mail, type Message } from '../../../messaging/message.ts';
import { invoiceIdOf } from '../../../models/billing/invoices.ts';
import {
  keepRefusedRequests,
  sealRefusedRequest,
} from '../../../models/events/refused-requests.ts';
import { saveLogo } from '../../../models/identity/logos.ts';
import { createPointsLink } from '../../../models/identity/points-links.ts';
import { savePasskey } from '../../../models/identity/second-factors.ts';
import { startSession } from '../../../models/identity/sessions.ts';
import { createSignInLink } from '../../../models/identity/sign-in-links.ts';
import { toEarningRule } from '../../../models/rewards/rules.ts';
import { createAccessToken } from '../../../operations/account.ts';
import { createConnection } from '../../../operations/connections.ts';
import { createCredential } from '../../../operations/credentials.ts';
import { createRule } from '../../../operations/earning-rules.ts';
import { createIntegration } from '../../../operations/integrations.ts';
import { voidInvoice } from '../../../operations/invoices.ts';
import { createFirstOperator } from '../../../operations/operators.ts';
import { createPlanVersion } from '../../../operations/plans.ts';
import { propose } from '../../../operations/proposals.ts';
import { createPolicy } from '../../../operations/refund-policies.ts';
import { addReviewNote, answerReview, askPartner } from '../../../operations/reviews.ts';
import { createServiceAccount } from '../../../operations/service-accounts.ts';
import { inviteUser } from '../../../operations/users.ts';
import { topUpWallet } from '../../../operations/wallets.ts';
import { newWebhookSecret } from '../../../operations/webhook-endpoints.ts';
import { newId } from '../../../platform/ids.ts';
import type { ParamKind } from '../../../portal/routing/params.ts';
import type { Route } from '../../../portal/routing/route.ts';
import { aPng } from '../../helpers/a-png.ts';
import { claimTokenOf } from '../../helpers/claim-token.ts';
import { eventually } from '../../helpers/eventually.ts';
import { issuedInvoice } from '../../helpers/issued-invoice.ts';
import { asOperator, operate } from '../../helpers/operate.ts';
import { aPurchase, PartnerBackend } from '../../helpers/partner-backend.ts';
import { signLog } from '../../helpers/sign-log.ts';
import { aUser } from './people.ts';
import type { SomePortal } from './portal.ts';
import { storeReview } from './stored.ts';

/** A partner for whom examples are created. */
export interface Owner {
  partnerId: string;
  /** A word in every name of the partner's data, which no other partner may see. */
  mark: string;
}

type Fixture = (portal: SomePortal, owner: Owner) => Promise<string>;

const integration: Fixture = async ({ deps }, { partnerId, mark }) =>
  (await operate(deps, createIntegration, { partnerId, name: `${mark} shop` }))._id;

const credentialOf = async (portal: SomePortal, owner: Owner, mode: Mode = 'TEST') => {
  const integrationId = await integration(portal, owner);
  const { partnerId } = owner;
  return await operate(portal.deps, createCredential, {
    partnerId,
    integrationId,
    mode,
    scopes: ['events:read'],
  });
};

const ruleOf =
  (mode: Mode): Fixture =>
  async ({ deps }, { partnerId }) =>
    (
      await operate(deps, createRule, {
        partnerId,
        mode,
        currency: 'USD',
        kind: 'PER_AMOUNT',
        points: 10,
        unitCents: 100,
      })
    )._id;

const policyOf =
  (mode: Mode): Fixture =>
  async ({ deps }, { partnerId }) =>
    (
      await operate(deps, createPolicy, {
        partnerId,
        mode,
        maxCents: 5_000,
        perCustomer: { count: 2, days: 90 },
        withinDays: 30,
        graceHours: 48,
      })
    )._id;

/** Creates an example for each kind of path parameter. @returns its id or token */
export const fixtures: Record<ParamKind, Fixture> = {
  partner: async (_, { partnerId }) => partnerId,
  user: async (portal, { partnerId, mark }) =>
    (await aUser(portal, { partnerId, name: `${mark} user`, role: 'viewer' }))._id,
  invitation: async ({ deps }, owner) => (await invited(deps, owner)).invitationId,
  invitationToken: async ({ deps }, owner) => (await invited(deps, owner)).token,
  session: async (portal, { partnerId, mark }) => {
    const { _id: userId } = await aUser(portal, { partnerId, role: 'viewer' });
    const { session } = await startSession(portal.deps, {
      userId,
      signedInBy: 'PASSWORD',
      userAgent: `${mark} browser`,
      address: '192.0.2.1',
    });
    return session._id;
  },
  passkey: async (portal, { partnerId, mark }) => {
    const { _id: userId } = await aUser(portal, { partnerId, role: 'viewer' });
    const passkey = {
      _id: newId('passkey'),
      name: `${mark} phone`,
      credentialId: randomUUID(),
      publicKey: '',
      counter: 0,
      transports: [],
      createdAt: new Date(),
      lastUsedAt: null,
    };
    const { models, config } = portal.deps;
    await savePasskey({ models, customerHashKey: config.customerHashKey }, userId, passkey);
    return passkey._id;
  },
  accessToken: async (portal, { partnerId, mark }) => {
    const { _id: userId } = await aUser(portal, { partnerId, role: 'viewer' });
    const name = `${mark} terminal`;
    const made = await operate(portal.deps, createAccessToken, {
      partnerId,
      userId,
      name,
      days: 7,
    });
    return made.accessToken._id;
  },
  serviceAccount: async ({ deps }, { partnerId, mark }) => {
    const fields = { partnerId, mode: 'TEST', name: `${mark} program`, days: null } as const;
    const made = await operate(deps, createServiceAccount, { ...fields, reads: ['log:read'] });
    return made.account._id;
  },
  signInToken: async (portal, { partnerId }) =>
    await createSignInLink(portal.deps, (await aUser(portal, { partnerId }))._id),
  integration,
  connection: async (portal, owner) => {
    const integrationId = await integration(portal, owner);
    const { _id } = await operate(portal.deps, createConnection, {
      partnerId: owner.partnerId,
      integrationId,
      mode: 'TEST',
      platform: 'SHOPIFY',
      shop: `${owner.mark.toLowerCase().replace(/[^a-z0-9]/g, '') || 'shop'}.myshopify.com`,
      secret: 'made-up-signing-secret',
    });
    return _id;
  },
  credential: async (portal, owner) => (await credentialOf(portal, owner)).credential._id,
  secret: async (portal, owner) =>
    (await credentialOf(portal, owner)).credential.secrets[0]?.secretId ?? '',
  rule: ruleOf('TEST'),
  policy: policyOf('TEST'),
  liveCredential: async (portal, owner) =>
    (await credentialOf(portal, owner, 'LIVE')).credential._id,
  liveSecret: async (portal, owner) =>
    (await credentialOf(portal, owner, 'LIVE')).credential.secrets[0]?.secretId ?? '',
  liveRule: ruleOf('LIVE'),
  livePolicy: policyOf('LIVE'),
  refusedRequest: async (portal, owner) => {
    const { models, sealer } = portal.deps;
    const { credential } = await credentialOf(portal, owner);
    const { _id: credentialId, apiKey: key, partnerId, integrationId, mode } = credential;
    const requestId = newId('request');
    const request = {
      method: 'POST',
      pathname: `/${owner.mark}`,
      query: null,
      host: null,
      key,
      timestamp: '1760000000',
      signature: `sha256=${'0'.repeat(64)}`,
      body: measureBody(Buffer.from('{}')),
      receivedAtSeconds: 1_760_000_000,
    };
    const refused = {
      requestId,
      partnerId,
      integrationId,
      credentialId,
      mode,
      request,
      code: 'INVALID_SIGNATURE',
      receivedAt: new Date(),
    };
    await keepRefusedRequests(models, [sealRefusedRequest(sealer, refused)]);
    return requestId;
  },
  testReward: async (portal, owner) => (await settled(portal, owner)).rewardId,
  claimToken: async (portal, owner) =>
    await claimTokenOf(portal.deps, (await settled(portal, owner)).eventId),
  pointsToken: async (portal, owner) => {
    const { models } = portal.deps;
    const { eventId } = await settled(portal, owner);
    const event = await models.orderEvents.findById(eventId).orFail();
    const { customerId = '' } = event.purchase ?? {};
    const { partnerId, mode } = event;
    const link = { partnerId, customerId, mode, purchaseEventId: event._id };
    return (await createPointsLink(models, link, Date.now())).token;
  },
  logo: async ({ deps: { models } }, { partnerId }) => {
    const partner = await models.partners.findById(partnerId).orFail();
    const bytes = await aPng(2, 1);
    const picture = { type: 'png', width: 2, height: 1, bytes } as const;
    return `${(await saveLogo(models, partner, picture, new Date())).hash}.png`;
  },
  event: async (portal, owner) => (await settled(portal, owner)).eventId,
  reward: async (portal, owner) => (await settled(portal, owner)).rewardId,
  receipt: receiptOf,
  redemption: redemptionOf,
  request: async (portal, owner) => {
    const { eventId } = await settled(portal, owner);
    return (await portal.deps.models.orderEvents.findById(eventId).orFail()).requestId;
  },
  invoice: async ({ deps }, { partnerId, mark }) => {
    const issuedAt = new Date();
    const subscriptionId = newId('subscription');
    const { _id } = await issuedInvoice(deps, {
      _id: invoiceIdOf(subscriptionId, mark, issuedAt.getTime()),
      partnerId,
      subscriptionId,
      planVersionId: newId('planVersion'),
      currency: 'USD',
      kind: 'PERIOD',
      changeId: null,
      terms: null,
      issuedAt,
      periodStart: issuedAt,
      periodEnd: issuedAt,
      lines: [{ kind: 'PLAN', description: `${mark} plan`, amountCents: 1_000 }],
    });
    // So that its credit note has a page, too.
    await operate(deps, voidInvoice, { partnerId, invoiceId: _id, reason: 'twice' });
    return _id;
  },
  webhookEndpoint: async (portal, owner) => (await endpointOf(portal, owner, 'TEST'))._id,
  liveWebhookEndpoint: async (portal, owner) => (await endpointOf(portal, owner, 'LIVE'))._id,
  webhookDelivery: (portal, owner) => deliveryOf(portal, owner, 'TEST'),
  liveWebhookDelivery: (portal, owner) => deliveryOf(portal, owner, 'LIVE'),
  review: async (portal, owner) => {
    const { _id: reviewId } = (await storeReview(portal, owner)).review;
    await operate(portal.deps, addReviewNote, { reviewId, text: `${owner.mark} was noted` });
    await operate(portal.deps, askPartner, { reviewId, text: `${owner.mark} came back?` });
    await operate(portal.deps, answerReview, { reviewId, text: `${owner.mark} did` });
    return reviewId;
  },
  customer: async (portal, owner) => (await storeReview(portal, owner)).reward.customerId,
  async transaction({ deps }, { partnerId, mark }) {
    const wallet = { mode: 'LIVE', partnerId } as const;
    const externalReference = `${mark} ${randomUUID()}`;
    return (await topUpWallet(deps, wallet, { amountCents: 1_000, externalReference })).entry._id;
  },
  async proposal({ deps }, { partnerId, mark }) {
    const amountCents = 1_000;
    const externalReference = `${mark} ${randomUUID()}`;
    const { _id } = await propose(deps, asOperator(newId('operator')), {
      action: 'partner.top-up',
      partnerId,
      targetId: partnerId,
      customerId: null,
      details: { reference: externalReference, amountCents, currency: 'USD' },
      input: { partnerId, amountCents, currency: 'USD', externalReference },
      shown: {},
    });
    return _id;
  },
  operator: async ({ deps }, { mark }) =>
    (await operate(deps, createFirstOperator, { name: `${mark} operator`, role: 'viewer' }))
      .operator._id,
  planVersion: async ({ deps }, { mark }) =>
    (
      await operate(deps, createPlanVersion, {
        planCode: `p${randomUUID()}`,
        name: `${mark} plan`,
        currency: 'USD',
        features: [],
        monthlyPriceCents: 100,
        annualPriceCents: 1_000,
        includedPoints: 10,
        overageRateMicrosPerPoint: 1,
        apiRateLimitPerMinute: 60,
        supportClass: 'standard',
      })
    )._id,
  async auditEntry({ deps: { models } }, { partnerId }) {
    const _id = newId('audit');
    await models.auditEntries.create({
      _id,
      partnerId,
      actorId: 'system',
      action: 'partner.update',
      targetId: partnerId,
      details: {},
      status: 'INTENDED',
      requestId: newId('request'),
      at: new Date(),
    });
    return _id;
  },
  async comparison({ deps: { models } }, { partnerId, mark }) {
    const base = { ...aFinishedJob(partnerId), kind: 'ORDER_COMPARISON' as const };
    const order = {
      externalOrderId: `${mark} order`,
      externalRefundId: `${mark} refund`,
      eventId: null,
      what: `was ${mark}`,
      repair: null,
    };
    await models.jobs.create({
      ...base,
      input: {
        integrationId: `${mark} shop`,
        rows: 1,
        range: null,
        between: null,
        hasRefunds: false,
        unknownStatuses: [],
        unknownRows: 0,
        fileHash: null,
      },
      result: {
        matched: 0,
        isCut: false,
        examples: [{ kind: 'MISSING', row: 2, ...order }],
        faults: { MISSING: 1, NOT_IN_FILE: 0, DUPLICATE: 0, MISMATCHED: 0 },
      },
    });
    return base._id;
  },
  async statement({ deps: { models } }, { partnerId, mark }) {
    const base = { ...aFinishedJob(partnerId), kind: 'STATEMENT_PDF' as const };
    await models.jobs.create({
      ...base,
      mode: 'LIVE',
      input: { fromDay: '2026-01-01', toDay: '2026-01-31' },
      result: { pdf: Buffer.from(`${mark} pdf`) },
    });
    return base._id;
  },
  async backTest(portal, owner) {
    const { models } = portal.deps;
    const rule = await models.earningRules.findById(await ruleOf('TEST')(portal, owner));
    if (!rule) throw new Error('the rule was not created');
    const base = { ...aFinishedJob(owner.partnerId), kind: 'BACK_TEST' as const };
    const at = base.createdAt;
    const earned = { points: 10, cents: 10, explanation: owner.mark };
    const order = { eventId: newId('event'), externalOrderId: `${owner.mark} order` };
    await models.jobs.create({
      ...base,
      input: { rule: toEarningRule(rule), from: at, to: at },
      result: {
        purchases: 1,
        active: earned,
        draft: earned,
        differing: 1,
        reviewed: 0,
        spared: 0,
        mostDiffering: [
          {
            ...order,
            subtotalCents: 100,
            receivedAt: at.toISOString(),
            active: earned,
            draft: earned,
          },
        ],
      },
    });
    return base._id;
  },
  async export({ deps: { models } }, { partnerId, mark }) {
    const base = { ...aFinishedJob(newId('operator')), kind: 'EXPORT' as const };
    await models.jobs.create({
      ...base,
      input: { list: 'LEDGER', filter: { book: 'LIVE', partnerId } },
      result: { rows: 1, isCut: false },
    });
    await models.jobRows.create({
      _id: newId('jobRows'),
      partnerId: base.partnerId,
      jobId: base._id,
      part: 'EXPORT',
      seq: 1,
      rows: [[mark]],
      expiresAt: base.expiresAt,
    });
    return base._id;
  },
  async auditRun({ deps: { models } }, { partnerId }) {
    const _id = newId('auditRun');
    const at = new Date();
    await models.auditRuns.create({
      _id,
      partnerId,
      startedAt: at,
      endedAt: at,
      lookedAt: 1,
      faults: 1,
      summary: 'one',
      checks: [
        {
          name: 'a check',
          lookedAt: 1,
          faults: 1,
          culprits: ['a culprit'],
          waiting: 0,
          waitingSince: null,
        },
      ],
    });
    return _id;
  },
};

/** A TEST redemption that was held and captured, with the shop's requests. */
async function redemptionOf(portal: SomePortal, whose: Owner): Promise<string> {
  const { partnerId, mark } = whose;
  const customerId = await exampleOf(portal, 'customer', whose);
  const { redemptions, redemptionEvents } = portal.deps.models;
  const [_id, at, integrationId] = [newId('redemption'), new Date(), newId('integration')];
  const owner = { partnerId, integrationId, mode: 'TEST' as const };
  await redemptions.create({
    ...owner,
    _id,
    externalRedemptionId: `${mark} redemption`,
    externalOrderId: `${mark} order`,
    customerId,
    points: 10,
    amountCents: 10,
    owedCents: 10,
    currency: 'USD',
    status: 'CAPTURED',
    expiresAt: at,
    customerDay: null,
    moves: [{ move: 'CAPTURE', at, status: 'CAPTURED' }],
    version: 2,
    createdAt: at,
    updatedAt: at,
  });
  for (const type of ['REDEEM', 'CAPTURE'] as const) {
    await redemptionEvents.create({
      ...owner,
      _id: newId('event'),
      credentialId: newId('credential'),
      type,
      redemptionId: _id,
      requestId: newId('request'),
      idempotencyKeyHash: `${_id} ${type}`,
      payloadHash: 'hash',
      receivedAt: at,
      request: { method: 'POST', path: '/api/v1/partner/redemptions', status: 201 },
      answer: JSON.stringify({ redemption: { externalRedemptionId: `${mark} redemption` } }),
    });
  }
  return _id;
}

/** A disabled endpoint, inserted directly because a partner can create only ten. */
async function endpointOf({ deps }: SomePortal, owner: Owner, mode: Mode) {
  const [at, slot, _id] = [new Date(), randomInt(1_000_000_000), newId('webhookEndpoint')];
  const { stored } = newWebhookSecret(deps, _id, false);
  return await deps.models.webhookEndpoints.create({
    _id,
    partnerId: owner.partnerId,
    mode,
    slot,
    url: `https://shop.example/${owner.mark}`,
    description: owner.mark,
    eventTypes: ['go_live.returned'],
    secrets: [stored],
    status: 'DISABLED',
    createdAt: at,
    updatedAt: at,
  });
}

async function deliveryOf(portal: SomePortal, owner: Owner, mode: Mode): Promise<string> {
  const [at, _id] = [new Date(), newId('webhookDelivery')];
  const endpoint = await endpointOf(portal, owner, mode);
  await portal.deps.models.webhookDeliveries.create({
    _id,
    partnerId: owner.partnerId,
    endpointId: endpoint._id,
    mode,
    rewardId: null,
    eventId: newId('webhookEvent'),
    type: 'test.ping',
    body: '{}',
    state: 'FAILED',
    tries: 1,
    history: [{ at, durationMs: 5, status: 500, error: null, answer: owner.mark }],
    createdAt: at,
  });
  return _id;
}

/** The fields common to all finished jobs. */
const aFinishedJob = (partnerId: string) => {
  const at = new Date();
  return {
    _id: newId('job'),
    partnerId,
    mode: 'TEST' as const,
    status: 'DONE' as const,
    progress: { done: 1, total: 1, of: 'ROWS' as const },
    problem: null,
    requestedBy: 'usr_1',
    createdAt: at,
    heartbeatAt: at,
    expiresAt: new Date(at.getTime() + 86_400_000),
  };
};

/**
 * A valid value for each field name of the forms. Add new field names here: otherwise a form is refused
 * because of a missing field, before the check that a test is about.
 */
export const plausible: Readonly<Record<string, string>> = {
  name: 'A name',
  email: 'somebody@else.example',
  role: 'viewer',
  reason: 'because',
  text: 'something',
  amount: '12.50',
  reference: 'req_0123456789ABCDEFGHJKMNPQRS',
  threshold: '100',
  integrationId: 'int_0123456789ABCDEFGHJKMNPQRS',
  scopes: 'both',
  replaces: '',
  form: 'x'.repeat(43),
  kind: 'PER_AMOUNT',
  points: '10',
  unitCents: '1.00',
  currency: 'USD',
  country: 'US',
  contact: 'nobody@else.example',
  mode: 'TEST',
  reads: 'log:read',
  days: '30',
  path: '/api/v1/partner/purchases',
  url: 'https://shop.example/hook',
  eventTypes: 'reward.funded',
  description: 'till',
  notices: 'funding.low',
  timeZone: 'Europe/Berlin',
  headers: 'webhook-id: whk_1',
  body: '{}',
  which: 'failed',
  isAllowed: 'yes',
  pointsPerUnit: '',
  maxPointsPerCustomerDay: '',
  from: '2026-01-01T00:00',
  until: '',
};

/** Reports a TEST purchase from a new integration, and waits until background work no longer changes it. */
async function settled(portal: SomePortal, owner: Owner) {
  const { models, sealer, apiUrl: baseUrl } = portal.deps;
  const { partnerId, mark } = owner;
  const integrationId = await integration(portal, owner);
  const shop = new PartnerBackend({
    baseUrl,
    partnerId,
    integrationId,
    mode: 'TEST',
    scopes: ['events:write'],
  });
  await shop.addCredential(models, sealer);
  const { body, text } = await shop.purchase(aPurchase({ externalOrderId: `${mark}-order` }));
  if (!body.success) throw new Error(text);
  const [eventId, _id] = [body.eventId as string, body.reward.id as string];
  await eventually(
    async () =>
      (await models.rewards.exists({ _id, state: 'FUNDED', due: null })) &&
      (await models.requestLog.exists({ partnerId, eventId })),
    `${_id} is settled`,
  );
  return { eventId, rewardId: _id };
}

const invited = async ({ models, now }: SomePortal['deps'], { partnerId, mark }: Owner) => {
  const mails: Mail[] = [];
  const sendMessage = async (mail: Message) => void (isMail(mail) && mails.push(mail));
  const email = `${mark}-${randomUUID()}@invited.example`;
  const { _id: invitationId } = await operate(
    { models, now, sendMessage, config: { portal: { url: '' } }, log: console },
    inviteUser,
    { partnerId, email, role: 'viewer' },
  );
  return { invitationId, token: tokenIn(mails[0]) };
};

/** The token of the link in an email to a user. */
export const tokenIn = (mail: Mail | undefined): string =>
  /\/(?:link|invitations)\/([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';

/** Whether a route shows a page: a path with an extension is a download, and a logo is an image. */
export const isPage = ({ method, path }: Pick<Route, 'method' | 'path'>): boolean =>
  method === 'GET' && !/\.\w+$|^\/logos\//.test(path);

export const routeName = ({ method, path, mode }: Route): string =>
  `${method} ${path}${mode === null ? '' : ` in ${mode}`}`;

/**
 * The path of a route, filled in with an owner's examples: new ones for a form, because it may change them;
 * shared ones for a page.
 */
export const filledPath = (
  portal: SomePortal,
  route: Pick<Route, 'method' | 'path' | 'params' | 'mode'>,
  owner: Owner,
): Promise<string> =>
  route.method === 'GET'
    ? unchangedPath(portal, route, owner)
    : filledWith(route, (kind) => fixtures[kind](portal, owner));

/** Money that a LIVE reward brought back, under a tree head. */
async function receiptOf({ deps }: SomePortal, { partnerId }: Owner): Promise<string> {
  const rewardId = newId('reward');
  await deps.commit({
    partnerId,
    wallet: { mode: 'LIVE', partnerId },
    decide: (draft) => draft.post('RELEASE', `release:${rewardId}`, rewardId, topUpPostings(10)),
  });
  await signLog(deps);
  return rewardId;
}

const madeOnce = new WeakMap<Owner, Map<ParamKind, Promise<string>>>();

/** An owner's shared example of a kind. */
export function exampleOf(portal: SomePortal, kind: ParamKind, owner: Owner): Promise<string> {
  const made = madeOnce.get(owner) ?? new Map<ParamKind, Promise<string>>();
  madeOnce.set(owner, made);
  const example = made.get(kind) ?? fixtures[kind](portal, owner);
  made.set(kind, example);
  return example;
}

/** The path of a route, filled in with an owner's shared examples, for a request that does not change them. */
export const unchangedPath = (
  portal: SomePortal,
  route: Pick<Route, 'path' | 'params' | 'mode'>,
  owner: Owner,
): Promise<string> => filledWith(route, (kind) => exampleOf(portal, kind, owner));

async function filledWith(
  { path, params, mode }: Pick<Route, 'path' | 'params' | 'mode'>,
  exampleOf: (kind: ParamKind) => Promise<string>,
): Promise<string> {
  let filled = path;
  for (const [name, kind] of Object.entries(params)) {
    filled = filled.replace(`:${name}`, encodeURIComponent(await exampleOf(kind)));
  }
  return mode === null ? filled : `${filled}?mode=${mode}`;
}
