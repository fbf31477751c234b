import test from 'ava';
import { ServiceError } from '../../domain/errors.ts';
import { isRaise, type Role, roles } from '../../domain/operators.ts';
import { type PartnerRole, partnerRoles } from '../../domain/partners.ts';
import { accounts } from '../../domain/postings.ts';
import { invoiceIdOf } from '../../models/billing/invoices.ts';
import { customerHoldings, readPointsEnd, readWallet } from '../../models/ledger/index.ts';
import { startRehearsal } from '../../models/rehearsals.ts';
import { findActivePolicy } from '../../models/rewards/refund-policies.ts';
import { findActiveRules } from '../../models/rewards/rules.ts';
import type { ProposalDoc } from '../../models/schemas/audit.ts';
import type { Actor } from '../../operations/actor.ts';
import { approve } from '../../operations/approve.ts';
import { type Executed, execute } from '../../operations/execute.ts';
import { operations } from '../../operations/index.ts';
import { recordPayment } from '../../operations/invoices.ts';
import { type AnyOperation, isSensitive } from '../../operations/operation.ts';
import { publishPlanVersion } from '../../operations/plans.ts';
import { subscribe } from '../../operations/subscriptions.ts';
import { newId } from '../../platform/ids.ts';
import { aPng } from '../helpers/a-png.ts';
import { issuedInvoice } from '../helpers/issued-invoice.ts';
import { operate } from '../helpers/operate.ts';
import { readTogether } from '../helpers/read-collections.ts';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';
import { fixtures } from '../portal/helpers/fixtures.ts';
import { anOperator, aUser } from '../portal/helpers/people.ts';
import { configOf, startPortal, type TestPortal } from '../portal/helpers/portal.ts';

const all: readonly AnyOperation[] = operations;

interface Described {
  flags?: { presence?: string };
}

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service, {
    config: configOf(service, {
      FOUR_EYES: 'on',
      FOUR_EYES_REDEMPTION_CENTS: '0',
      FOUR_EYES_REVIEW_CENTS: '0',
    }),
  });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

/** What a partner's owner can change alone. No operation of a partner's user moves money. */
const owners: Partial<Record<string, string>> = {
  'credential.create': 'keys',
  'credential.rotate': 'keys',
  'earning-rule.activate': 'rule',
  'earning-rule.deactivate': 'rule',
  'points-end.set': 'ends',
  'refund-policy.activate': 'policy',
  'refund-policy.deactivate': 'policy',
  'webhook-endpoint.create': 'webhooks',
  'webhook-endpoint.delete': 'webhooks',
  'webhook-endpoint.rotate-secret': 'webhooks',
  'webhook-endpoint.update': 'webhooks',
  'user.change-role': 'owners',
  'user.invite': 'owners',
};

/** The sensitive operations that nobody in this test can propose, and why. */
const notProposed: Partial<Record<string, string>> = {
  'operator.reset-second-factor': 'the other operator has no second factor to reset',
  'user.reset-second-factor': 'the owner has no second factor to reset',
};

test('no operator alone can move money, get a key, a rule, a role or a token, or plant an owner of a LIVE partner', async (t) => {
  const world = await aWorld();
  const faults: string[] = [];
  // Nothing is sent: the test console uses TEST keys only.
  const send = async () => ({ status: null, headers: [], text: '', tookMs: 0 });
  const deps = { ...portal.deps, send };
  // A change that takes effect after the response is attributed to the next actor.
  let before = await world.gained();
  let isOwnerAble = false;
  const findGains = async (title: string, expected?: string) => {
    const after = await world.gained();
    const changed = Object.keys(after).filter((name) => {
      const [had, has] = [before, after].map((sum) => sum[name as keyof typeof after]);
      return JSON.stringify(had) !== JSON.stringify(has);
    });
    before = after;
    const gains = changed.filter((name) => name !== expected);
    if (gains.length < changed.length) isOwnerAble = true;
    if (gains.length > 0) faults.push(`${title}: ${gains.join(', ')}`);
  };
  /** The operations that at least one actor carried out or proposed, so that their inputs are valid. */
  const reached = new Set<string>();
  for (const { one, input } of all.flatMap((one) =>
    world.inputsFor(one).map((input) => ({ one, input })),
  )) {
    const { error } = one.input.validate(input);
    if (error)
      faults.push(`${one.name}: add valid values for its fields to this test: ${error.message}`);
    for (const actor of world.actors) {
      const title = `${one.name} by ${actor.kind} ${'role' in actor ? actor.role : ''}`;
      let isRefused = false;
      try {
        const executed = await execute(deps, one as never, actor, input);
        reached.add(one.name);
        await approveOneself(deps, executed, actor);
      } catch (thrown) {
        isRefused = thrown instanceof ServiceError && thrown.status < 500;
        if (!isRefused) faults.push(`${title}: ${String(thrown)}`);
      }
      const isOwner = actor.kind === 'user' && actor.role === 'owner';
      const ownersGain = owners[one.name];
      // What refused actors gained is looked for once, after all actors, unless it could be taken for the owner's gain.
      if (isRefused && ownersGain === undefined) continue;
      await findGains(title, isOwner ? ownersGain : undefined);
    }
    await findGains(one.name);
  }
  t.deepEqual(faults, []);
  const sensitive = all.filter(isSensitive).map(({ name }) => name);
  const unreached = sensitive.filter((name) => !reached.has(name));
  t.deepEqual(unreached.toSorted(), Object.keys(notProposed).toSorted());
  t.true(isOwnerAble, 'an owner’s own changes are detected');
});

/** Approves the actor's own proposal, as the actor. */
async function approveOneself(deps: TestPortal['deps'], executed: unknown, actor: Actor) {
  const { isDone, proposal } = (executed ?? {}) as Partial<Executed<unknown>> & {
    proposal?: ProposalDoc;
  };
  if (isDone !== false || actor.kind !== 'operator') return;
  // Somebody else's earlier proposal of the same may be returned instead, and approving that is legitimate.
  if (proposal?.proposedBy === actor.id) await approve(deps, actor, proposal._id);
}

/** A LIVE partner with funds, a customer with points, a review, keys and rules, and an actor for each role. */
async function aWorld() {
  const { models } = service;
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const { partnerId, integrationId, credentialId } = partner;
  const town = townOf(service);
  const review = await town.reviewed(partner);
  const refunded = await town.funded(partner);
  const { rewardId } = review;
  const { customerId } = await models.rewards.findById(rewardId).orFail();
  const owner = { partnerId, mark: 'worst' };
  const operators = await Promise.all(
    roles.map(async (role) => ({ role, user: await anOperator(portal, role) })),
  );
  const users = await Promise.all(
    partnerRoles.map(async (role) => ({ role, user: await aUser(portal, { partnerId, role }) })),
  );
  const other = await anOperator(portal, 'viewer');
  const victim = await aUser(portal, { partnerId, role: 'developer' });
  const ruleId = await fixtures.liveRule(portal, owner);
  const policyId = await fixtures.livePolicy(portal, owner);
  const credential = await models.credentials.findById(credentialId).orFail();
  const rehearsal = await startRehearsal(
    models,
    { partnerId, integrationId, credentialId },
    { minutes: 1, seed: 'seed', now: new Date() },
  );
  const made = {
    invitationId: await fixtures.invitation(portal, owner),
    auditEntryId: await fixtures.auditEntry(portal, owner),
    proposalId: await fixtures.proposal(portal, owner),
    endpointId: await fixtures.liveWebhookEndpoint(portal, owner),
    deliveryId: await fixtures.liveWebhookDelivery(portal, owner),
    serviceAccountId: await fixtures.serviceAccount(portal, owner),
    planVersionId: await fixtures.planVersion(portal, owner),
    offeredId: await fixtures.planVersion(portal, owner),
    unclaimedId: (await town.funded(partner)).rewardId,
    refundedId: refunded.rewardId,
    connectionId: await fixtures.connection(portal, owner),
    doomedEndpointId: await fixtures.liveWebhookEndpoint(portal, owner),
    rehearsalId: rehearsal._id,
  };

  await town.refund(refunded);
  const spending = await town.claimed(partner);
  const spender = await models.rewards.findById(spending.rewardId).orFail();

  const issuedAt = new Date();
  const issue = async (subscriptionId: string) =>
    await issuedInvoice(service, {
      _id: invoiceIdOf(subscriptionId, 'a period', issuedAt.getTime()),
      partnerId,
      subscriptionId,
      planVersionId: made.planVersionId,
      currency: 'USD',
      kind: 'PERIOD',
      changeId: null,
      terms: null,
      issuedAt,
      periodStart: issuedAt,
      periodEnd: issuedAt,
      lines: [{ kind: 'PLAN', description: 'plan', amountCents: 1_000 }],
    });
  const { _id: invoiceId } = await issue(newId('subscription'));
  const { _id: unpaidId } = await issue(newId('subscription'));
  const payment = { amountCents: 1, currency: 'USD', paidOn: '2026-01-31', reference: 'till' };
  await operate(portal.deps, recordPayment, { partnerId, invoiceId, ...payment });
  for (const planVersionId of [made.planVersionId, made.offeredId]) {
    await operate(portal.deps, publishPlanVersion, { planVersionId });
  }
  const { planVersionId } = made;
  await operate(portal.deps, subscribe, { partnerId, planVersionId, interval: 'MONTH' });
  const topUp = await models.ledger.findOne({ partnerId, kind: 'TOP_UP' }).orFail();

  const base = { requestId: newId('request'), factor: 'TOKEN' as const };
  const actors: Actor[] = [
    ...operators.map(
      ({ role, user }): Actor => ({
        kind: 'operator',
        id: user.operatorId ?? '',
        role: role as Role,
        ...base,
      }),
    ),
    // The owner comes last, because an owner may make changes.
    ...users.toReversed().map(
      ({ role, user }): Actor => ({
        kind: 'user',
        id: user._id,
        role: role as PartnerRole,
        partnerId,
        ...base,
      }),
    ),
  ];
  const own = new Set(actors.map(({ id }) => id));

  /** A valid value for each field, by its name. */
  const values: Record<string, unknown> = {
    partnerId,
    integrationId,
    credentialId,
    customerId,
    rewardId,
    ruleId,
    policyId,
    maxCents: 5_000,
    perCustomer: null,
    withinDays: 30,
    graceHours: 48,
    after: 'P12M',
    ...made,
    reviewId: review._id,
    operatorId: other.operatorId,
    userId: victim._id,
    secretId: credential.secrets[0]?.secretId,
    tokenId: 'tok_none',
    sessionId: 'ses_none',
    accessTokenId: 'pat_none',
    passkeyId: 'psk_none',
    credential: '{}',
    mode: 'LIVE',
    currency: 'USD',
    kind: 'FIXED',
    points: 499,
    pointValueMicros: 1_000_000,
    scopes: ['events:write'],
    name: 'Mallory',
    days: 90,
    minutes: 1,
    email: 'accomplice@mallory.example',
    password: 'a password, and long',
    code: '000000',
    amountCents: 1_000_000,
    externalReference: 'wire',
    reference: 'till',
    reason: 'because',
    decision: 'UPHOLD',
    reasonCode: 'GOODS_RETURNED',
    status: 'DONE',
    delivery: 'PARTNER',
    interval: 'MONTH',
    number: '+14155550123',
    type: 'purchase',
    secret: 'JBSWY3DPEHPK3PXP',
    platform: 'SHOPIFY',
    shop: 'mallory.myshopify.com',
    waitingId: 'none',
    readSecret: 'shpat_0123456789abcdef',
    consumerSecret: '',
    isPaused: false,
    earns: { tax: true, shipping: true, tips: true, giftCards: true },
    step: 1,
    range: null,
    signedInBy: 'PASSWORD',
    userAgent: '',
    address: '192.0.2.1',
    passwordHash: null,
    planCode: `p${Date.now()}`,
    monthlyPriceCents: 1,
    annualPriceCents: 1,
    includedPoints: 1,
    overageRateMicrosPerPoint: 1,
    apiRateLimitPerMinute: 60,
    supportClass: 'standard',
    features: [],
    maxPointMicros: 1_000_000_000,
    maxRewardCents: 100_000_000_000,
    redemptions: { isAllowed: true, pointsPerUnit: 1, maxPointsPerCustomerDay: null },
    notices: [],
    url: 'https://hooks.mallory.example/',
    forwardTo: 'http://127.0.0.1:1/',
    eventTypes: ['*'],
    description: '',
    from: new Date(Date.now() - 60_000).toISOString(),
    reads: ['log:read'],
    text: 'please',
    assigneeId: null,
    invoiceId,
    transactionId: topUp._id,
    document: 'INVOICE',
    fromDay: '2026-01-01',
    toDay: '2026-01-31',
    paidOn: '2026-01-31',
    timeZone: 'UTC',
    language: 'de',
    color: null,
    spendText: null,
    spendUrl: null,
    end: 'LEFT',
    list: 'LEDGER',
    filter: { mode: 'LIVE', partnerId },
    picture: await aPng(1, 1),
    file: { async *[Symbol.asyncIterator]() {} },
  };
  /** Values for single operations, where the field's name is ambiguous or only one of two fields is allowed. */
  const particular: Record<string, object> = {
    'contact-email.begin': { address: 'contactEmail' },
    'contact-email.confirm': { address: 'contactEmail' },
    'own-session.revoke': { sessionId: 'ses_none' },
    // What could not be carried out is not even proposed.
    'customer.redeem': { customerId: spender.customerId, points: 1 },
    'invoice.record-payment': { amountCents: 1, reference: 'another' },
    'invoice.void': { invoiceId: unpaidId },
    'partner.correct-top-up': { amountCents: 1, externalReference: 'correction' },
    'partner.withdraw': { amountCents: 1, externalReference: 'withdrawal' },
    'reward.correct-contact': { rewardId: made.unclaimedId },
    'reward.reinstate': { rewardId: made.refundedId },
    'operator.create': { role: 'admin' },
    'operator.change-role': { role: 'admin' },
    'webhook-example.send': { type: 'reward.funded' },
    'test-funding.add': { currency: undefined },
    'webhook-endpoint.update': { status: undefined },
    'connection.end': { connectionId: await fixtures.connection(portal, owner) },
    'connection.remove-secret': { secretId: 'sec_none' },
    // Its owner deletes it.
    'webhook-endpoint.delete': { endpointId: made.doomedEndpointId },
    'reward.cancel': { rewardId: made.unclaimedId },
    'subscription.create': { planVersionId: made.offeredId },
    'subscription.change': { planVersionId: made.offeredId },
    'partner.create': { status: 'ACTIVE' },
    'partner.update': { status: 'ACTIVE', name: undefined, currency: 'EUR' },
  };

  return {
    actors,
    /** An input with all fields, and one for each optional field by itself. */
    inputsFor(one: AnyOperation): object[] {
      const { keys = {} } = one.input.describe() as { keys?: Record<string, Described> };
      const whole = this.inputFor(one);
      const isNeeded = (name: string) => keys[name]?.flags?.presence === 'required';
      const [needed, free] = [true, false].map((wanted) =>
        Object.entries(whole).filter(([name]) => isNeeded(name) === wanted),
      ) as [[string, unknown][], [string, unknown][]];
      const single = free
        .map((entry) => Object.fromEntries([...needed, entry]))
        .filter((input) => one.input.validate(input).error === undefined);
      return free.length > 1 ? [whole, ...single] : [whole];
    },
    inputFor(one: AnyOperation): object {
      const { keys = {} } = one.input.describe() as { keys?: Record<string, Described> };
      const role = 'owner';
      const asked = Object.entries({ ...values, role, ...particular[one.name] });
      return Object.fromEntries(
        asked.filter(([name, value]) => {
          const isWhole = particular[one.name] && one.name === 'own-session.revoke';
          if (isWhole) return name === 'sessionId';
          return name in keys && value !== undefined;
        }),
      );
    },
    /** Everything that an actor could gain. A revoked key or a removed user is no gain. */
    async gained() {
      const wallet = await readWallet(models, { mode: 'LIVE', partnerId });
      const held = await customerHoldings(models, { partnerId, customerId });
      const { funding, redeemed } = accounts;
      const moved = wallet?.balances ?? {};
      const balances = [moved[funding] ?? 0, moved[redeemed] ?? 0, held.owedCents, held.points];
      const among = { _id: { $in: [...own, other.operatorId ?? ''] } };
      const introduced = {
        'introductions.by': { $in: [...own] },
        role: { $ne: 'viewer' as const },
      };
      const { operators, partners, credentials, users, invitations, rewards } = models;
      const { subscriptions, webhookEndpoints } = models;
      const of = await readTogether(models, [
        [operators, { $or: [among, introduced] }],
        [partners, { _id: partnerId }],
        [credentials, { partnerId, mode: 'LIVE' }],
        [users, { partnerId, role: 'owner' }],
        [invitations, { partnerId, role: 'owner' }],
        [rewards, { partnerId, state: 'CANCELLED' }],
        [subscriptions, { partnerId }],
        [webhookEndpoints, { partnerId, mode: 'LIVE', userId: { $exists: false } }],
      ]);
      const everyone = of(operators);
      const [stored] = of(partners);
      if (stored === undefined) throw new Error('the partner is lost');
      const { currency, maxPointMicros, maxRewardCents, goLive, name } = stored;
      return {
        money: balances,
        cancelled: of(rewards).length,
        owed: of(subscriptions).map((one) => one.planVersionId),
        webhooks: of(webhookEndpoints)
          .map(({ _id, url, secrets }) => `${_id} ${url} ${secrets.length}`)
          .toSorted(),
        keys: of(credentials)
          .flatMap(({ secrets }) => secrets.map(({ secretId }) => secretId))
          .toSorted(),
        rule: (await findActiveRules(models, partnerId, 'LIVE')).map((rule) => rule.ruleId),
        policy: (await findActivePolicy(models, partnerId, 'LIVE'))?.policyId,
        ends: (await readPointsEnd(models, { partnerId, mode: 'LIVE' }))?.settingId,
        roles: everyone
          .filter(({ role }) => isRaise('viewer', role))
          .map(({ _id }) => _id)
          .sort(),
        tokens: everyone
          .filter(({ _id }) => !own.has(_id))
          .flatMap(({ tokens }) => tokens.map(({ tokenId }) => tokenId))
          .toSorted(),
        owners: [...of(users), ...of(invitations)].map(({ _id }) => _id).toSorted(),
        rate: stored.redemptions ?? null,
        contract: [currency, maxPointMicros, maxRewardCents, goLive.state, name],
      };
    },
  };
}
