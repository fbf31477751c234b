import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createApp } from '../../api/app.ts';
import { createOperatorApp } from '../../api/operator-app.ts';
import { createRefusedRequestBuffer } from '../../api/refused-request-buffer.ts';
import { createRequestLog } from '../../api/request-log.ts';
import { runAudit } from '../../audit/run.ts';
import { verifyReceipt } from '../../clients/typescript/receipt.ts';
import type { Branding } from '../../domain/branding.ts';
import { ruleKinds } from '../../domain/earning-rules.ts';
import { type ErrorDescription, otherErrors, partnerErrors } from '../../domain/error-codes.ts';
import { roles } from '../../domain/operators.ts';
import { scopes } from '../../domain/partners.ts';
import { webhookEventTypes, webhookExamples } from '../../domain/webhooks.ts';
import { createAccessToken } from '../../operations/account.ts';
import { createConnection } from '../../operations/connections.ts';
import { showSecret } from '../../operations/credentials.ts';
import { execute } from '../../operations/execute.ts';
import { createFirstOperator } from '../../operations/operators.ts';
import { createServiceAccount } from '../../operations/service-accounts.ts';
import { newId } from '../../platform/ids.ts';
import { createLogger } from '../../platform/logger.ts';
import { createPortal } from '../../portal/app.ts';
import { startAnotherAdminApi } from '../helpers/another-api.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { earningExamples } from '../helpers/earning-examples.ts';
import { eventually } from '../helpers/eventually.ts';
import { ownerOf, operate as runOperation } from '../helpers/operate.ts';
import { anotherOperator } from '../helpers/operator.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase, PartnerBackend, type Reply, toReply } from '../helpers/partner-backend.ts';
import { profileScans } from '../helpers/scans.ts';
import { aUser } from '../portal/helpers/people.ts';
import { portalOf } from '../portal/helpers/portal.ts';
import { readReference } from './helpers/reference.ts';

const reference = readReference();
let service: OwnService;
let scans: () => Promise<string[]>;
test.before(async () => {
  service = await startOwnService();
  scans = await profileScans(service.models);
});
test.after.always(() => service?.stop());

const exercised = new Set<string>();

interface SentRequest {
  path?: Record<string, string>;
  query?: string;
  body?: unknown;
  /** The partner that signs the request; without one, an operator sends it. */
  as?: PartnerBackend;
  idempotencyKey?: string;
  token?: string;
  /** The operators' API to use instead of the service's own. */
  adminUrl?: string;
}

async function send(operationId: string, request: SentRequest): Promise<Reply> {
  const { method, path: pattern } = reference.operation(operationId);
  const { path = {}, query = '', body, as, idempotencyKey } = request;
  const filled = pattern.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? name);
  if (as) {
    const options = { method: method.toUpperCase(), path: filled, query };
    return await as.send(body, { ...options, ...(idempotencyKey && { idempotencyKey }) });
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (path.token !== undefined) return await service.openClaim(path.token, method.toUpperCase());
  const origin = await originOf(pattern, request);
  const response = await fetch(origin + filled + query, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${request.token ?? service.adminToken}`,
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: text }),
  });
  return await toReply(response);
}

/** Paths of the portal for programs. */
const isForPrograms = (path: string): boolean =>
  ['/events', '/rewards'].includes(path) || path.startsWith('/webhooks/endpoints');

async function originOf(pattern: string, { adminUrl }: SentRequest): Promise<string> {
  if (isForPrograms(pattern)) return await service.portalUrl();
  return new URL(pattern.startsWith('/admin/') ? (adminUrl ?? service.adminUrl) : service.baseUrl)
    .origin;
}

/** Connects a WooCommerce shop. @returns the id of the connection */
async function aShop({ partnerId, integrationId, mode }: PartnerBackend): Promise<string> {
  const { _id } = await runOperation({ ...service, now: Date.now }, createConnection, {
    partnerId,
    integrationId,
    mode,
    platform: 'WOOCOMMERCE',
    shop: 'shop.example.com',
    secret: 'made-up-signing-secret',
  });
  return _id;
}

/** Sends a request and checks the response against the reference. @returns the body */
async function ask(
  t: ExecutionContext,
  operationId: string,
  request: SentRequest = {},
  status?: number,
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
): Promise<any> {
  const reply = await send(operationId, request);
  const named = `${operationId} ${reply.status}`;
  t.deepEqual(reference.problemsOfResponse(operationId, reply), [], `${named}: ${reply.text}`);
  if (status === undefined) t.true(reply.status < 300, `${named}: ${reply.text}`);
  else t.is(reply.status, status, `${named}: ${reply.text}`);
  if (reply.status < 300) exercised.add(operationId);
  return reply.body;
}

const rule = { currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 };
const plan = {
  name: 'Small',
  monthlyPriceCents: 1_000,
  annualPriceCents: 10_000,
  includedPoints: 1_000,
  overageRateMicrosPerPoint: 10_000,
  apiRateLimitPerMinute: 6_000,
  supportClass: 'EMAIL',
  features: ['one'],
};

/** Creates a LIVE partner on a plan using only the API, with a back end in each mode. */
async function setUp(t: ExecutionContext) {
  const profile = {
    name: 'Shop',
    legalName: 'Shop Ltd',
    country: 'US',
    website: 'https://shop.example',
    contactEmail: 'owner@shop.example',
    supportEmail: 'help@shop.example',
    timeZone: 'America/Chicago',
  };
  const { partnerId } = await ask(t, 'createPartner', { body: profile });
  const of = { path: { partnerId } };
  const { integrationId } = await ask(t, 'createIntegration', { ...of, body: { name: 'web' } });
  const integration = { path: { partnerId, integrationId } };
  await ask(t, 'updateIntegration', { ...integration, body: { delivery: 'PARTNER' } });
  const makeKey = async (mode: 'TEST' | 'LIVE') => {
    const body = { integrationId, mode, scopes: [...scopes] };
    const made = await ask(t, 'createCredential', { ...of, body });
    const { credential, secretId } = made;
    t.is(made.secret === null, mode === 'LIVE', 'a LIVE secret is for an owner');
    const { credentialId } = credential;
    const { secret } =
      mode === 'TEST'
        ? made
        : await execute({ ...service, now: Date.now }, showSecret, ownerOf(partnerId), {
            credentialId,
            secretId,
          });
    const backend = new PartnerBackend({
      baseUrl: service.baseUrl,
      partnerId,
      integrationId,
      mode,
      scopes: body.scopes,
    });
    return Object.assign(backend, {
      credentialId,
      key: credential.apiKey,
      secret,
    });
  };
  for (const mode of ['TEST', 'LIVE']) {
    const { ruleId } = await ask(t, 'createEarningRule', { ...of, body: { ...rule, mode } });
    await ask(t, 'activateEarningRule', { path: { ruleId } });
  }
  const planVersion = async (planCode: string, monthlyPriceCents: number): Promise<string> => {
    const body = { ...plan, planCode, monthlyPriceCents };
    const { planVersionId } = await ask(t, 'createPlanVersion', { body });
    await ask(t, 'publishPlanVersion', { path: { planVersionId } });
    return planVersionId;
  };
  const [small, large] = [await planVersion('small', 1_000), await planVersion('large', 9_000)];
  await ask(t, 'createSubscription', { ...of, body: { planVersionId: small } });
  const tested = await makeKey('TEST');
  await ask(t, 'topUp', {
    ...of,
    body: { amountCents: 10_000, currency: 'USD', externalReference: 'first' },
  });
  await ask(t, 'requestGoLive', of, 409);
  const first = aPurchase();
  await ask(t, 'reportPurchase', { as: tested, body: first });
  const { externalOrderId } = first;
  await ask(t, 'reportRefund', { as: tested, body: { externalOrderId } });
  await ask(t, 'getGoLive', of);
  await ask(t, 'requestGoLive', of);
  await ask(t, 'returnGoLive', { ...of, body: { reason: 'which shop is this?' } });
  await ask(t, 'requestGoLive', of);
  t.is((await ask(t, 'approveGoLive', of)).state, 'LIVE');
  return { ...of, integrationId, small, large, live: await makeKey('LIVE'), tested };
}

/** Compares a list of orders. The body of a list is not JSON, so it is sent by itself. */
async function reconcile(t: ExecutionContext, as: PartnerBackend) {
  const list = 'externalOrderId,subtotal,currency\nnever reported,1,USD\n';
  const path = '/api/v1/partner/reconciliations';
  const sent = await as.send(list, { path, headers: { 'content-type': 'text/csv' } });
  t.is(sent.status, 202, sent.text);
  t.deepEqual(reference.problemsOfResponse('createReconciliation', sent), []);
  exercised.add('createReconciliation');
  const of = { reconciliationId: sent.body.reconciliation.id };
  await eventually(async () => {
    const { reconciliation } = await ask(t, 'getReconciliation', { as, path: of });
    return reconciliation.status === 'DONE';
  }, 'the list is compared');
  await ask(t, 'getReconciliationPage', { as, path: { ...of, page: '1' } });
  await ask(t, 'getReconciliationPage', { as, path: { ...of, page: '2' } }, 404);
  await ask(t, 'getReconciliation', { as, path: { reconciliationId: 'job_none' } }, 404);
  const wrong = await as.send('{}', { path, headers: { 'content-type': 'application/jsonl' } });
  t.is(wrong.status, 400);
  t.deepEqual(reference.problemsOfResponse('createReconciliation', wrong), []);
  const typed = await as.send('{}', { path });
  t.is(typed.status, 415);
  t.deepEqual(reference.problemsOfResponse('createReconciliation', typed), []);
}

async function webhooks(t: ExecutionContext, path: { partnerId: string }) {
  const body = { mode: 'TEST', url: 'http://127.0.0.1:1/hook', description: 'till' };
  const created = await ask(t, 'createWebhookEndpoint', { path, body });
  const one = { path: { ...path, endpointId: created.endpoint.id } };
  await ask(t, 'listWebhookEndpoints', { path });
  await ask(t, 'getWebhookEndpoint', one);
  await ask(t, 'updateWebhookEndpoint', { ...one, body: { status: 'PAUSED' } });
  await ask(t, 'rotateWebhookSecret', one);
  const { delivery } = await ask(t, 'testWebhookEndpoint', one);
  const { items } = await ask(t, 'listWebhookDeliveries', {
    ...one,
    query: '?state=PENDING&type=test.ping',
  });
  t.is(items[0].id, delivery.id);
  await ask(t, 'resendWebhook', { path: { ...one.path, deliveryId: delivery.id } });
  const from = '2026-01-01T00:00:00.000Z';
  await ask(t, 'resendWebhooks', { ...one, body: { from, state: 'FAILED' } });
  await ask(t, 'deleteWebhookEndpoint', one);
}

test('the reference has every webhook event, with a valid example', (t) => {
  const { webhooks: described, components } = reference.document;
  t.deepEqual(components.schemas.WebhookEventType.enum, webhookEventTypes);
  t.deepEqual(Object.keys(described), [...webhookEventTypes]);
  for (const type of webhookEventTypes) {
    const { post } = described[type];
    const { schema, example } = post.requestBody.content['application/json'];
    t.true(reference.validatorOf(schema)(example), type);
    t.deepEqual(example.data, webhookExamples[type], type);
  }
});

/** The lists of orders and redemptions, with each of their conditions. */
async function lists(t: ExecutionContext, as: PartnerBackend, customer: object) {
  const since = '2026-01-01T00:00:00Z';
  const conditions = {
    changedSince: since,
    receivedFrom: since,
    receivedTo: '2099-01-01T00:00:00Z',
  };
  const found: Record<string, { status: string; operations: [list: string, search: string] }> = {
    orders: { status: 'AVAILABLE', operations: ['listPartnerOrders', 'searchPartnerOrders'] },
    redemptions: { status: 'REVERSED', operations: ['listRedemptions', 'searchRedemptions'] },
  };
  for (const [what, { status, operations }] of Object.entries(found)) {
    const [list, search] = operations;
    const { nextCursor: cursor, ...page } = await ask(t, list, { as, query: '?limit=1' });
    t.is(page[what].length, 1);
    const all: Record<string, string> = { ...conditions, status, ...(cursor && { cursor }) };
    await ask(t, list, { as, query: `?${new URLSearchParams(all)}` });
    await ask(t, list, { as, query: '?limit=0' }, 400);
    await ask(t, list, { as, query: '?customer=a' }, 400);
    t.true((await ask(t, search, { as, body: { customer, ...conditions } }))[what].length > 0);
    await ask(t, search, { as, body: { customer, ...all, limit: 2 } });
    await ask(t, search, { as, body: { customer: {} } }, 400);
  }
}

/** Service accounts read; operators list and revoke them. */
async function serviceAccounts(t: ExecutionContext, path: { partnerId: string }) {
  const fields = { ...path, mode: 'TEST', name: 'nightly export', days: 30 } as const;
  const reads = ['log:read', 'rewards:read'] as const;
  const deps = { models: service.models, now: Date.now };
  const { token, account } = await runOperation(deps, createServiceAccount, {
    ...fields,
    reads: [...reads],
  });
  t.true((await ask(t, 'readRequestLog', { token, query: '?limit=1' })).events.length === 1);
  t.true((await ask(t, 'readRewards', { token, query: '?limit=1' })).rewards.length === 1);
  for (const id of ['readRequestLog', 'readRewards']) {
    await ask(t, id, { token, query: '?limit=x' }, 400);
    await ask(t, id, { token: 'psa_unknown' }, 401);
    await ask(t, id, { token, query: '?mode=LIVE' }, 403);
  }
  await ask(t, 'listServiceAccounts', { path });
  await ask(t, 'revokeServiceAccount', { path: { ...path, serviceAccountId: account._id } });
}

/** A partner's endpoints, by a user's access token. */
async function ownWebhooks(t: ExecutionContext, partnerId: string) {
  const portal = await portalOf(service);
  const user = await aUser(portal, { partnerId, role: 'developer' });
  const fields = { partnerId, userId: user._id, name: 'a script', days: 7 };
  const { token } = await runOperation(portal.deps, createAccessToken, fields);
  const body = { mode: 'TEST', url: 'http://127.0.0.1:1/hook' };
  const created = await ask(t, 'createOwnWebhookEndpoint', { token, body });
  const one = { token, path: { endpointId: created.endpoint.id } };
  t.is((await ask(t, 'listOwnWebhookEndpoints', { token })).endpoints.length, 1);
  await ask(t, 'listOwnWebhookEndpoints', { token, query: '?limit=0' }, 400);
  await ask(t, 'getOwnWebhookEndpoint', one);
  await ask(
    t,
    'getOwnWebhookEndpoint',
    { token, path: { endpointId: newId('webhookEndpoint') } },
    404,
  );
  await ask(t, 'updateOwnWebhookEndpoint', { ...one, body: { status: 'PAUSED' } });
  await ask(t, 'updateOwnWebhookEndpoint', { ...one, body: {} }, 400);
  t.not((await ask(t, 'rotateOwnWebhookSecret', one)).secret, created.secret);
  const { delivery } = await ask(t, 'testOwnWebhookEndpoint', one);
  t.is((await ask(t, 'listOwnWebhookDeliveries', one)).deliveries[0].id, delivery.id);
  await ask(t, 'resendOwnWebhooks', { ...one, body: { from: '2026-01-01T00:00:00.000Z' } });
  await ask(t, 'createOwnWebhookEndpoint', { token, body: { ...body, mode: 'LIVE' } }, 403);
  await ask(t, 'createOwnWebhookEndpoint', { token: 'pat_unknown', body }, 401);
  await ask(t, 'deleteOwnWebhookEndpoint', one);
}

/** Operators and their proposals. */
async function operate(t: ExecutionContext) {
  const created = await ask(t, 'createOperator', {
    body: { name: 'Bob', role: 'admin', email: `${randomUUID()}@operators.example` },
  });
  const { operatorId } = created;
  await ask(t, 'listOperators');
  await ask(t, 'getOperator', { path: { operatorId } });
  await ask(t, 'changeRole', { path: { operatorId }, body: { role: 'admin' } });
  await ask(t, 'getMe');
  const own = await ask(t, 'rotateOwnToken');
  await ask(t, 'revokeOwnToken', { path: { tokenId: own.tokenId } });
  const bob = await anotherOperator(service, 'Bob');
  const other = await (await anotherOperator(service, 'Lin')).me();
  await ask(t, 'confirmOperator', { path: { operatorId: other.operatorId } });
  const [{ tokenId }] = other.tokens;
  await ask(t, 'revokeToken', { path: { operatorId: other.operatorId, tokenId } });

  const { config } = service;
  const approvals = { ...config.approvals, isOn: true };
  const api = await startAnotherAdminApi(service, { config: { ...config, approvals } });
  t.teardown(() => api.stop());
  const asBob = { token: bob.token, adminUrl: api.adminUrl };
  const { partnerId } = await ask(t, 'createPartner', { body: { name: 'Shop' } });
  const topUp = (externalReference: string) => ({
    path: { partnerId },
    body: { amountCents: 1, currency: 'USD', externalReference },
    adminUrl: api.adminUrl,
  });
  const { proposal } = await ask(t, 'topUp', topUp('wire 1'), 202);
  const path = { proposalId: proposal.proposalId };
  await ask(t, 'listProposals', asBob);
  await ask(t, 'getProposal', { ...asBob, path });
  await ask(t, 'approveProposal', { path, adminUrl: api.adminUrl }, 403);
  await ask(t, 'approveProposal', { ...asBob, path });
  const next = await ask(t, 'topUp', topUp('wire 2'), 202);
  const rejected = { path: { proposalId: next.proposal.proposalId }, body: { reason: 'no' } };
  await ask(t, 'rejectProposal', { ...asBob, ...rejected });
  await ask(t, 'revokeOperator', { path: { operatorId } });

  const { auditEntries } = service.models;
  const left = await auditEntries.findOne({ partnerId, action: 'partner.top-up' }).orFail();
  await auditEntries.updateOne({ _id: left._id }, { $set: { status: 'INTENDED' } });
  const closure = { body: { status: 'DONE', reason: 'it is there' } };
  await ask(t, 'closeAuditEntry', { path: { auditEntryId: left._id }, ...closure });
  await ask(t, 'retryDue', {});
  await ask(t, 'retireSigningKey', {});
}

test.serial('every operation responds as the reference describes', async (t) => {
  const { path, small, large, live, tested } = await setUp(t);
  await ask(t, 'listPartners', { query: '?limit=1' });
  await ask(t, 'getPartner', { path });
  // Set in the portal by an owner.
  const branding: Branding = {
    language: 'de',
    timeZone: null,
    color: '#b3261e',
    spendText: 'An jeder Kasse.',
    spendUrl: 'https://shop.example/punkte',
  };
  await service.models.partners.updateOne({ _id: path.partnerId }, { $set: { branding } });
  const updated = await ask(t, 'updatePartner', { path, body: { contactEmail: 'a@b.co' } });
  t.deepEqual(updated.branding, branding);
  await ask(t, 'listIntegrations', { path });
  await ask(t, 'inviteUser', { path, body: { email: 'first@shop.example' } });

  const money = { amountCents: 100_000, externalReference: 'wire 1' };
  const paid = { ...money, currency: 'USD' };
  await ask(t, 'topUp', { path, body: paid }, 201);
  const { transaction } = await ask(t, 'topUp', { path, body: paid }, 200);
  const back = { ...paid, amountCents: 10, externalReference: 'wire out' };
  await ask(t, 'withdraw', { path, body: back }, 201);
  await ask(t, 'withdraw', { path, body: back }, 200);
  await ask(t, 'withdraw', { path, body: { ...back, amountCents: 11 } }, 409);
  const correction = { ...back, transactionId: transaction.transactionId };
  t.is(
    (await ask(t, 'correctTopUp', { path, body: correction }, 201)).transaction.kind,
    'CORRECTION',
  );
  await ask(t, 'correctTopUp', { path, body: correction }, 200);
  await ask(t, 'grantTestFunding', { path, body: money }, 201);
  await ask(t, 'getTestFunding', { path });

  const purchase = aPurchase({ occurredAt: '2026-01-31T09:30:00+01:00' });
  const bought = await ask(t, 'reportPurchase', { as: live, body: purchase, idempotencyKey: 'a' });
  await ask(t, 'reportPurchase', { as: live, body: purchase, idempotencyKey: 'a' });
  const { reward: spare } = await ask(t, 'reportPurchase', { as: tested, body: aPurchase() });
  const cancellation = { path: { rewardId: spare.id }, body: { reason: 'a mistake of the shop' } };
  const { reward: rehearsed } = await ask(t, 'reportPurchase', { as: tested, body: aPurchase() });
  const isFunded = { _id: rehearsed.id, state: 'FUNDED' } as const;
  await eventually(() => service.models.rewards.exists(isFunded), 'it can be claimed');
  await service.rewardOf(spare.id);
  await ask(t, 'cancelReward', cancellation);
  await ask(t, 'cancelReward', { ...cancellation, body: { reason: 'another' } }, 409);
  const { reward: mistaken } = await ask(t, 'reportPurchase', {
    as: tested,
    body: aPurchase({ externalOrderId: 'refunded by mistake' }),
  });
  await ask(t, 'reportRefund', { as: tested, body: { externalOrderId: 'refunded by mistake' } });
  const reinstatement = { path: { rewardId: mistaken.id }, body: { reference: 'ticket 7' } };
  t.is((await ask(t, 'reinstateReward', reinstatement)).status, 'PENDING');
  await ask(t, 'reinstateReward', { ...reinstatement, path: { rewardId: spare.id } }, 409);
  const corrected = { path: { rewardId: mistaken.id }, body: { email: 'right@example.com' } };
  const { moves } = await ask(t, 'correctContact', corrected);
  t.is(moves.at(-1).move, 'CORRECT');
  await ask(t, 'correctContact', { ...corrected, body: { phone: '+1 202 555 0199' } }, 409);
  const rewardId: string = bought.reward.id;
  const claim = { path: { token: await claimTokenOf(service, bought.eventId) } };
  await ask(t, 'showClaim', claim);
  await ask(t, 'claimReward', claim);
  await service.carriedOut(live);
  const { customerId } = await ask(t, 'getReward', { path: { rewardId } });
  const spend = { path: { customerId }, body: { points: 100, reference: 'till 1' } };
  await ask(t, 'redeemPoints', spend, 201);
  await ask(t, 'redeemPoints', spend, 200);
  await ask(t, 'getCustomer', { path: { customerId } });
  const contact = { email: 'customer@example.com' };
  t.is((await ask(t, 'lookUpCustomer', { path, body: contact })).customerId, customerId);

  const { customer } = purchase;
  for (const as of [live, tested]) {
    await ask(t, 'quotePurchase', { as, body: { order: purchase.order, customer } });
    await ask(t, 'readBalance', { as, body: { customer } });
  }
  const hold = (externalRedemptionId: string) => ({
    as: live,
    body: { externalRedemptionId, customer, amountCents: 1, hold: true },
  });
  const held = (await ask(t, 'redeemAtCheckout', hold('one'))).redemption;
  const other = (await ask(t, 'redeemAtCheckout', hold('two'))).redemption;
  await ask(t, 'redeemAtCheckout', hold('two'), 409);
  await ask(t, 'redeemAtCheckout', { as: tested, body: hold('one').body }, 422);
  const ending = (redemptionId: string) => ({ as: live, path: { redemptionId }, body: {} });
  await ask(t, 'captureRedemption', ending(held.id));
  await ask(t, 'releaseRedemption', ending(other.id));
  await ask(t, 'releaseRedemption', ending(held.id), 409);
  const spent = { externalRedemptionId: 'three', customer, points: 5 };
  const three = (await ask(t, 'redeemAtCheckout', { as: live, body: spent })).redemption;
  await ask(t, 'reverseRedemption', { ...ending(three.id), body: { points: 2 } });
  await ask(t, 'reverseRedemption', { ...ending(three.id), body: { amountCents: 900 } }, 422);
  await ask(t, 'reverseRedemption', ending(three.id));
  await ask(t, 'reverseRedemption', ending(held.id));
  const redemptionOf = { as: live, path: { redemptionId: held.id } };
  t.is((await ask(t, 'getRedemption', redemptionOf)).redemption.status, 'REVERSED');
  await ask(t, 'getRedemption', { ...redemptionOf, as: tested }, 404);
  await lists(t, live, customer);

  const { externalOrderId } = purchase;
  await ask(t, 'reportRefund', { as: live, body: { externalOrderId, reason: 'returned' } });
  const open = await eventually(async () => {
    const listed = await ask(t, 'listReviews', { query: '?status=OPEN' });
    return listed.items.length > 0 && listed;
  }, 'a review opens');
  const [{ reviewId }] = open.items;
  await ask(t, 'getReview', { path: { reviewId } });
  const written = { path: { reviewId }, body: { text: 'Did the lid come back?' } };
  await ask(t, 'addReviewNote', written, 201);
  await ask(t, 'askAboutReview', written, 201);
  t.is((await ask(t, 'listReviewNotes', { path: { reviewId } })).items.length, 2);
  const decision = {
    path: { reviewId },
    body: { decision: 'UPHOLD', reasonCode: 'GOODS_RETURNED' },
  };
  await ask(t, 'decideReview', decision);
  await ask(
    t,
    'decideReview',
    { ...decision, body: { decision: 'DISMISS', reasonCode: 'GOODWILL' } },
    409,
  );
  await ask(t, 'askAboutReview', written, 409);

  const request = { path: { rewardId: rehearsed.id }, body: { move: 'CLAIM' } };
  t.is((await ask(t, 'moveTestReward', request)).status, 'AVAILABLE');
  await ask(t, 'moveTestReward', { ...request, path: { rewardId } }, 409);
  const wrong = tested.changed({ secret: 'another' });
  const refused = await send('getUsage', { as: wrong });
  await service.flushed();
  const of = { credentialId: tested.credentialId };
  const kept = await ask(t, 'listRefusedRequests', { path: of });
  t.is(kept.items[0].requestId, refused.headers.get('x-request-id'));
  await ask(t, 'diagnoseRefusedRequest', { path: { ...of, requestId: kept.items[0].requestId } });
  await ask(t, 'diagnoseRefusedRequest', { path: { ...of, requestId: 'req_none' } }, 404);

  for (const list of ['listRewards', 'listEvents', 'listRequestLog', 'listAuditEntries']) {
    const { items } = await ask(t, list, { query: `?partner=${path.partnerId}&limit=100` });
    t.true(items.length > 0, list);
  }
  await ask(t, 'getReward', { path: { rewardId } });
  const erasure = { path: { customerId }, body: { reference: 'request 1' } };
  await ask(t, 'eraseCustomer', erasure, 201);
  await ask(t, 'eraseCustomer', erasure, 200);
  await ask(t, 'getReview', { path: { reviewId } });
  await ask(t, 'getReward', { path: { rewardId: spare.id } });
  await ask(t, 'getWallet', { path });
  t.true((await ask(t, 'listLedger', { path })).items.length >= 4);
  await runAudit(service, { patienceMs: 5_000 });
  t.is((await ask(t, 'listAuditRuns')).items.length, 1);
  const { taskQueue } = service.config.temporal;
  const workflowId = `reconciliation-${taskQueue}`;
  await service.temporal.workflow.execute('reconcileWorkflows', { taskQueue, workflowId });
  t.is((await ask(t, 'listReconciliationRuns')).items.length, 1);

  await ask(t, 'getSubscription', { path });
  await ask(t, 'changeSubscription', { path, body: { planVersionId: large } });
  const { items: invoices } = await ask(t, 'listInvoices', { path });
  t.is(invoices.length, 1);
  const invoice = { ...path, invoiceId: invoices[0].id };
  const payment = { currency: 'USD', paidOn: '2026-01-02', reference: 'wire 3', amountCents: 1 };
  await service.models.invoices.collection.insertOne({
    ...(await service.models.invoices.findById(invoice.invoiceId).orFail()),
    ...{ _id: 'inv_void' as never, seq: 2, changeId: 'another' },
  } as never);
  const unpaid = { ...path, invoiceId: 'inv_void' };
  const voided = await ask(t, 'voidInvoice', { path: unpaid, body: { reason: 'a mistake' } });
  t.is(voided.paymentStatus, 'VOID');
  const paidInPart = await ask(t, 'recordPayment', { path: invoice, body: payment });
  t.is(paidInPart.paymentStatus, 'PARTIALLY_PAID');
  await ask(t, 'voidInvoice', { path: invoice, body: { reason: 'a mistake' } }, 409);
  const reversed = { reference: payment.reference, reason: 'it did not arrive' };
  const reversal = { path: invoice, body: reversed };
  t.is((await ask(t, 'reversePayment', reversal)).paidCents, 0);
  for (const as of [live, tested]) {
    await ask(t, 'listPlans', { as });
    await ask(t, 'getUsage', { as });
    await ask(t, 'getBilling', { as });
  }
  await ask(t, 'getPartnerOrder', { as: live, path: { externalOrderId } });
  await ask(t, 'getPartnerOrder', { as: tested, path: { externalOrderId } }, 404);
  await ask(t, 'releasePartnerOrder', { as: live, path: { externalOrderId }, body: {} });
  await ask(t, 'releasePartnerOrder', { as: tested, path: { externalOrderId }, body: {} }, 404);
  await reconcile(t, tested);
  await ask(t, 'deliver', { path: { connectionId: await aShop(tested) }, body: 'webhook_id=1' });
  await ask(t, 'deliver', { path: { connectionId: 'con_none' }, body: {} }, 404);
  const started = await ask(t, 'startRehearsal', { as: tested, body: { minutes: 1 } });
  await ask(t, 'startRehearsal', { as: tested, body: { minutes: 61 } }, 400);
  await ask(t, 'startRehearsal', { as: live, body: {} }, 404);
  const rehearsalId = started.rehearsal.id;
  await ask(t, 'getRehearsal', { as: tested, path: { rehearsalId } });
  await ask(t, 'getRehearsal', { as: tested, path: { rehearsalId: 'rhs_none' } }, 404);
  const ofKey = { partnerId: path.partnerId, _id: tested.credentialId };
  await service.models.credentials.updateOne(ofKey, { $unset: { rehearsal: 1 } });
  const { reward: reviewed } = await ask(t, 'getPartnerReward', { as: live, path: { rewardId } });
  t.like(reviewed, { status: 'CANCELLED', review: { status: 'UPHELD' } });
  await ask(t, 'getPartnerReward', { as: tested, path: { rewardId } }, 404);
  await ask(t, 'getReceipt', { as: live, path: { rewardId } }, 404);
  const signing = { taskQueue, workflowId: `tree-head/${taskQueue}` };
  await service.temporal.workflow.execute('signTreeHead', signing);
  const { receipt } = await ask(t, 'getReceipt', { as: live, path: { rewardId } });
  const { keys } = await ask(t, 'getSigningKeys');
  t.is(verifyReceipt(receipt, keys).rewardId, rewardId);
  await ask(t, 'getReceipt', { as: tested, path: { rewardId: spare.id } }, 404);
  await ask(t, 'getPartnerReward', { as: tested, path: { rewardId: spare.id } });
  await ask(t, 'cancelSubscription', { path });
  await ask(t, 'archivePlanVersion', { path: { planVersionId: small } });
  await ask(t, 'listPlanVersions', { query: '?status=ARCHIVED' });

  const { items: rules } = await ask(t, 'listEarningRules', { path });
  await ask(t, 'deactivateEarningRule', { path: { ruleId: rules[0].ruleId } });
  const { credentialId } = tested;
  const { secretId } = await ask(t, 'rotateSecret', { path: { credentialId } });
  await ask(t, 'rotateSecret', { path: { credentialId } }, 409);
  await ask(t, 'revokeSecret', { path: { credentialId, secretId } });
  await ask(t, 'revokeCredential', { path: { credentialId } });
  await ask(t, 'listCredentials', { path });
  await webhooks(t, path);
  await serviceAccounts(t, path);
  await ownWebhooks(t, path.partnerId);
  await operate(t);
  await ask(t, 'healthz');
  await ask(t, 'readyz');
  await ask(t, 'statusz');

  t.deepEqual(
    [...reference.operations.keys()].filter((id) => !exercised.has(id)),
    [],
  );
});

test.serial('refusals match the reference', async (t) => {
  const live = await service.partner({ mode: 'LIVE', fundingCents: 1_000_000 });
  const reader = await live.withAnotherCredential(service.models, service.sealer, {
    scopes: ['events:read'],
  });
  const purchase = aPurchase();
  const { eventId } = await ask(t, 'reportPurchase', {
    as: live,
    body: purchase,
    idempotencyKey: 'a',
  });
  const stranger = live.changed({ secret: 'another' });
  const euros = aPurchase({ order: { subtotalCents: 1, currency: 'EUR' } });
  const huge = aPurchase({ metadata: { note: 'x'.repeat(70_000) } });
  const { models } = service;
  const { token: viewer } = await runOperation({ models, now: Date.now }, createFirstOperator, {
    name: 'Vi',
    role: 'viewer',
  });
  const refusals: [operationId: string, request: SentRequest, status: number][] = [
    ['reportPurchase', { as: live, body: '{' }, 400],
    ['reportPurchase', { as: live, body: purchase, query: '?a=1' }, 400],
    ['reportPurchase', { as: stranger, body: purchase }, 401],
    ['reportPurchase', { as: reader, body: purchase }, 403],
    ['reportPurchase', { as: live, body: purchase }, 409],
    ['reportPurchase', { as: live, body: aPurchase(), idempotencyKey: 'a' }, 409],
    ['reportPurchase', { as: live, body: huge }, 413],
    ['reportPurchase', { as: live, body: euros }, 422],
    ['reportRefund', { as: live, body: {} }, 400],
    ['reportRefund', { as: live, body: { externalOrderId: 'unknown' } }, 404],
    ['getUsage', { as: live, query: '?a=1' }, 400],
    ['getUsage', { as: stranger }, 401],
    ['showClaim', { path: { token: 'unknown' } }, 404],
    ['getPartner', { token: 'unknown' }, 401],
    ['createPartner', { body: { name: 'A' }, token: viewer }, 403],
    ['getPartner', { path: { partnerId: 'prt_none' } }, 404],
    ['listRewards', { query: '?limit=0' }, 400],
    ['createPartner', { body: { name: '' } }, 400],
    ['createPartner', { body: JSON.stringify({ name: 'x'.repeat(70_000) }) }, 413],
  ];
  for (const [operationId, request, status] of refusals) await ask(t, operationId, request, status);

  const { externalOrderId } = purchase;
  await ask(t, 'reportRefund', { as: live, body: { externalOrderId } });
  const token = await claimTokenOf(service, eventId);
  await ask(t, 'claimReward', { path: { token } }, 409);
  const limited = await service.partner({ partner: { apiRateLimitPerMinute: 1 } });
  await ask(t, 'listPlans', { as: limited });
  await ask(t, 'listPlans', { as: limited }, 429);
});

/** Bodies that both the reference and the API must accept, or refuse. */
const bodies: Record<string, { allowed: unknown[]; refused: unknown[] }> = {
  reportPurchase: {
    allowed: [
      aPurchase(),
      aPurchase({ customer: { email: ' ', phone: '+1 202 555 0143' } }),
      aPurchase({ order: { subtotalCents: 100_000_000, currency: 'usd' }, metadata: {} }),
      aPurchase({ externalOrderId: 'x'.repeat(160) }),
      aPurchase({
        customer: { email: 'a@b.co', phone: null },
        order: { subtotalCents: 1, currency: null },
        occurredAt: null,
        metadata: null,
      }),
    ],
    refused: [
      {},
      [],
      aPurchase({ extra: 1 }),
      aPurchase({ customer: {} }),
      aPurchase({ customer: { email: '  ' } }),
      aPurchase({ customer: { email: null } }),
      aPurchase({ occurredAt: '1969-12-31T09:30:00Z' }),
      aPurchase({ customer: { email: 'a@b.co', name: 'Ann' } }),
      aPurchase({ order: { subtotalCents: 1.5 } }),
      aPurchase({ order: { subtotalCents: '1' } }),
      aPurchase({ order: { subtotalCents: -1 } }),
      aPurchase({ order: { subtotalCents: 100_000_001 } }),
      aPurchase({ order: { subtotalCents: 1, currency: 'US' } }),
      aPurchase({ externalOrderId: '' }),
      aPurchase({ externalOrderId: 'x'.repeat(161) }),
      aPurchase({ externalOrderId: 'a\nb' }),
      aPurchase({ occurredAt: '2026-01-31T09:30:00' }),
      aPurchase({ metadata: [] }),
    ],
  },
  reportRefund: {
    allowed: [
      { externalOrderId: 'unknown', reason: '', metadata: { a: { b: [] } } },
      { externalOrderId: 'unknown', externalRefundId: null, reason: null, metadata: null },
      { externalOrderId: 'unknown', amountCents: null },
      { externalOrderId: 'x'.repeat(160), externalRefundId: `refund:${'x'.repeat(160)}` },
    ],
    refused: [
      {},
      { externalOrderId: 7 },
      { externalOrderId: 'unknown', externalRefundId: '' },
      { externalOrderId: 'unknown', externalRefundId: null, amountCents: 1 },
      { externalOrderId: 'unknown', reason: 'x'.repeat(501) },
      { externalOrderId: 'unknown', amount: 1 },
    ],
  },
  createPartner: {
    allowed: [{ name: 'A' }, { name: 'A b', country: 'DE', contactEmail: null }],
    refused: [
      {},
      { name: ' A' },
      { name: 'x'.repeat(101) },
      { name: 'A', status: 'GONE' },
      { name: 'A', currency: 'usd' },
      { name: 'A', apiRateLimitPerMinute: 0 },
      { name: 'A', lowBalanceThresholdCents: -1 },
      { name: 'A', other: 1 },
    ],
  },
  updatePartner: {
    allowed: [{ website: 'https://shop.example', supportEmail: null }],
    refused: [{}, { live: true }, { website: 'shop.example' }, { goLiveMinimumFundingCents: -1 }],
  },
  returnGoLive: { allowed: [{ reason: 'x' }], refused: [{}, { reason: '' }] },
  createCredential: {
    allowed: [],
    refused: [
      { integrationId: 'int_1', mode: 'LIVE', scopes: [] },
      { integrationId: 'int_1', mode: 'LIVE', scopes: ['events:read', 'events:read'] },
      { integrationId: 'int_1', mode: 'BOTH', scopes: ['events:read'] },
    ],
  },
  createEarningRule: {
    allowed: [
      { ...rule, mode: 'TEST' },
      { ...rule, mode: 'TEST', multiplier: 1.15 },
      ...ruleKinds.map((kind) => ({
        mode: 'TEST',
        currency: 'USD',
        campaign: null,
        ...earningExamples[kind].earning,
      })),
    ],
    refused: [
      { ...rule },
      { ...rule, mode: 'TEST', kind: 'OTHER' },
      { ...rule, mode: 'TEST', kind: 'FIXED' },
      { ...rule, mode: 'TEST', unitCents: undefined },
      { ...rule, mode: 'TEST', points: 1.5 },
      { ...rule, mode: 'TEST', points: 100_001 },
      { ...rule, mode: 'TEST', multiplier: 101 },
      { ...rule, mode: 'TEST', capPerOrderPoints: -1 },
      { ...rule, mode: 'TEST', pointValueMicros: 1_000_000_001 },
      { ...rule, mode: 'TEST', campaign: { startsAt: '2030-01-01T00:00:00Z' } },
    ],
  },
  correctTopUp: {
    allowed: [],
    refused: [
      { amountCents: 1, currency: 'USD', externalReference: 'a' },
      { transactionId: '', amountCents: 1, currency: 'USD', externalReference: 'a' },
      { transactionId: 'txn_1', amountCents: 0, currency: 'USD', externalReference: 'a' },
    ],
  },
  recordPayment: {
    allowed: [],
    refused: [
      { amountCents: 1, currency: 'USD', reference: 'a' },
      { amountCents: 0, currency: 'USD', paidOn: '2026-01-02', reference: 'a' },
      { amountCents: 1, currency: 'USD', paidOn: '2026-02-30', reference: 'a' },
      { amountCents: 1, currency: 'USD', paidOn: '2026-01-02', reference: ' ' },
    ],
  },
  reversePayment: { allowed: [], refused: [{}, { reference: 'a' }, { reason: 'x' }] },
  voidInvoice: { allowed: [], refused: [{}, { reason: '' }, { reason: 'x'.repeat(501) }] },
  topUp: {
    allowed: [{ amountCents: 1, currency: 'USD', externalReference: 'wire 2' }],
    refused: [
      { amountCents: 1, externalReference: 'a' },
      { amountCents: 1, currency: 'usd', externalReference: 'a' },
      { amountCents: 0, currency: 'USD', externalReference: 'a' },
      { amountCents: 100_000_000_001, currency: 'USD', externalReference: 'a' },
      { amountCents: 1, currency: 'USD', externalReference: ' ' },
      { amountCents: 1, currency: 'USD', externalReference: 'a\u0000b' },
      { amountCents: 1, currency: 'USD', externalReference: 'x'.repeat(161) },
    ],
  },
  correctContact: {
    allowed: [],
    refused: [{}, { email: 'a@b.co', phone: '+1 415 555 2671' }, { email: '' }],
  },
  eraseCustomer: {
    allowed: [],
    refused: [{}, { reference: '' }, { reference: ' a' }, { reference: 'a\nb' }],
  },
  lookUpCustomer: {
    allowed: [{ email: 'A@b.co' }, { phone: '+1 (415) 555-2671' }],
    refused: [{}, { email: '' }, { email: 'a@b.co', phone: '1' }, { phone: 'x'.repeat(33) }],
  },
  createPlanVersion: {
    allowed: [{ ...plan, planCode: 'other' }],
    refused: [
      { ...plan, planCode: 'Other' },
      { ...plan, planCode: 'other', monthlyPriceCents: -1 },
      { ...plan, planCode: 'other', apiRateLimitPerMinute: 0 },
      { ...plan, planCode: 'other', features: [''] },
      { ...plan, planCode: 'other', supportClass: 'x'.repeat(41) },
    ],
  },
  createSubscription: {
    allowed: [],
    refused: [{}, { planVersionId: 'pln_1', interval: 'WEEK' }],
  },
  cancelReward: {
    allowed: [{ reason: 'x' }],
    refused: [{}, { reason: '' }, { reason: 'x'.repeat(501) }, { reason: 'x', why: 'y' }],
  },
  moveTestReward: {
    allowed: [{ move: 'CLAIM' }, { move: 'EXPIRE' }],
    refused: [{}, { move: 'FUND' }, { move: 'CLAIM', at: 'now' }],
  },
  addReviewNote: {
    allowed: [{ text: 'x' }, { text: 'one line\nand another' }],
    refused: [
      {},
      { text: '' },
      { text: ' x' },
      { text: 'x'.repeat(1_001) },
      { text: 'x', to: 'y' },
    ],
  },
  askAboutReview: { allowed: [{ text: 'x' }], refused: [{}, { text: 7 }, { text: 'a\u0000b' }] },
  decideReview: {
    allowed: [
      { decision: 'UPHOLD', reasonCode: 'FRAUD' },
      { decision: 'DISMISS', reasonCode: 'OTHER', reason: 'x' },
    ],
    refused: [
      { decision: 'UPHOLD', reason: 'x' },
      { decision: 'UPHOLD', reasonCode: 'BECAUSE' },
      { decision: 'MAYBE', reasonCode: 'OTHER', reason: 'x' },
      { decision: 'DISMISS', reasonCode: 'OTHER', reason: '' },
      { decision: 'DISMISS', reasonCode: 'OTHER', reason: 'x'.repeat(501) },
    ],
  },
};

for (const [operationId, { allowed, refused }] of Object.entries(bodies)) {
  test(`the reference and the API accept the same bodies: ${operationId}`, async (t) => {
    const backend = await service.partner();
    const as = operationId.startsWith('report') ? { as: backend } : {};
    const path = {
      partnerId: backend.partnerId,
      reviewId: 'rev_none',
      rewardId: 'PNR_none',
      invoiceId: 'inv_none',
    };
    for (const body of [...allowed, ...refused]) {
      const isAllowed = allowed.includes(body);
      const json = JSON.stringify(body);
      t.is(reference.allows(operationId, JSON.parse(json)), isAllowed, `reference: ${json}`);
      const { status } = await send(operationId, {
        path,
        body,
        ...as,
        idempotencyKey: randomUUID(),
      });
      t.is(status !== 400, isAllowed, `API, ${status}: ${json}`);
    }
  });
}

/** The paths that serve the reference. */
const referencePaths = /^\/(?:openapi\.yaml|docs)/;

test('the reference has every route, and no other', (t) => {
  const log = createLogger('test', service.config.log);
  const deps = { ...service, log, now: Date.now };
  const routesOf = ({ middleware }: { middleware: unknown }) =>
    (middleware as { router?: { stack: { methods: string[]; path: string }[] } }[]).flatMap(
      ({ router }) => router?.stack ?? [],
    );
  const partners = routesOf(
    createApp(deps, createRequestLog(deps), createRefusedRequestBuffer(deps)),
  );
  // Both listeners have the health checks.
  const operators = routesOf(createOperatorApp(deps)).filter(({ path }) =>
    path.startsWith('/admin/'),
  );
  const routes = [...partners, ...operators];
  // Of the portal's routes, the reference has those for programs: claim links and service accounts' reads.
  const portal = createPortal({ ...deps, apiUrl: service.baseUrl });
  const programs = routesOf(portal.app).filter(({ path }) => isForPrograms(path));
  const links = portal.table.filter(({ path }) => path === '/claim/:token');
  const registered = [
    ...[...routes, ...programs].flatMap(({ methods, path }) =>
      methods.map((method) => ({ method, path })),
    ),
    ...links,
  ]
    .filter(({ method, path }) => method !== 'HEAD' && !referencePaths.test(path))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  const described = [...reference.operations.values()].map(
    ({ method, path }) => `${method.toUpperCase()} ${path}`,
  );
  const without = (all: string[], those: string[]) => all.filter((one) => !those.includes(one));
  t.deepEqual(without(registered, described), [], 'routes that the reference does not describe');
  t.deepEqual(without(described, registered), [], 'operations of the reference without a route');
  t.is(new Set(registered).size, registered.length);
});

test('the reference has every kind of earning rule', (t) => {
  const { RuleKind, Earning } = reference.document.components.schemas;
  t.deepEqual(RuleKind.enum, ruleKinds);
  t.deepEqual(
    Earning.oneOf.map(({ title }: { title: string }) => title),
    ruleKinds,
  );
});

test('the reference has every operator role', (t) => {
  t.deepEqual(reference.document.components.schemas.Role.enum, roles);
});

test('each operation returns error codes of its table, each under its status', (t) => {
  const errors: Record<string, ErrorDescription> = { ...partnerErrors, ...otherErrors };
  const met = new Set<string>();
  for (const { operationId, responses } of reference.operations.values()) {
    for (const [status, described] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      for (const one of reference.resolve(described)['x-codes'] ?? []) {
        t.is(errors[one]?.status, Number(status), `${operationId} ${one}`);
        met.add(one);
      }
    }
  }
  // No operation returns it, because it is for methods that a path does not have.
  t.deepEqual(
    Object.keys(errors).filter((one) => !met.has(one)),
    ['METHOD_NOT_ALLOWED'],
  );
});

test('every schema of the reference compiles, and every $ref resolves', (t) => {
  const { schemas } = reference.document.components;
  for (const name of Object.keys(schemas)) {
    t.notThrows(() => reference.validatorOf({ $ref: `#/components/schemas/${name}` }), name);
  }
  const text = JSON.stringify(reference.document);
  for (const [, $ref = ''] of text.matchAll(/"\$ref":"(#[^"]+)"/g)) {
    t.truthy(reference.resolve({ $ref }), $ref);
  }
  for (const kind of ['schemas', 'responses', 'parameters', 'headers']) {
    for (const name of Object.keys(reference.document.components[kind])) {
      t.true(text.includes(`"#/components/${kind}/${name}"`), `${kind}/${name} is used`);
    }
  }
});

test.serial('no operation of the API scans a whole collection', async (t) => {
  t.deepEqual(await scans(), []);
});
