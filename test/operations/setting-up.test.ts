import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { profileOf } from '../../dev/go-live.ts';
import { type Earning, type RuleTerms, ruleKinds, ruleLimits } from '../../domain/earning-rules.ts';
import {
  defaultNotices,
  keyState,
  liveKeyDays,
  maxActiveKeys,
  maxActiveSecrets,
  maxIntegrations,
} from '../../domain/partners.ts';
import { computePoints, largestReward, maxSubtotalCents } from '../../domain/points.ts';
import { liabilityCentsOf } from '../../domain/postings.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { findActiveRules } from '../../models/rewards/rules.ts';
import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { announceDue } from '../../models/webhooks/announce-due.ts';
import { type SystemActor, system, type UserActor } from '../../operations/actor.ts';
import {
  type CredentialFields,
  createCredential,
  revokeCredential,
  revokeSecret,
  rotateCredential,
} from '../../operations/credentials.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import {
  activateRule,
  createRule,
  deactivateRule,
  type RuleFields,
  ruleProblems,
} from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { createFirstOperator } from '../../operations/operators.ts';
import { createPartner, updatePartner } from '../../operations/partners.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { createSealer } from '../../platform/sealing.ts';
import { earningExamples } from '../helpers/earning-examples.ts';
import { makeLive } from '../helpers/live-partner.ts';
import { operate } from '../helpers/operate.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';

let deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>;
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  const database = await takeDatabase();
  const { models } = database;
  ({ giveBack } = database);
  deps = {
    models,
    sealer: createSealer([{ id: 'k', key: createSecretKey(randomBytes(32)) }]),
    now: () => 1_700_000_000_000,
  };
});
test.after.always(() => giveBack?.());

const fixed: RuleFields = { mode: 'TEST', currency: 'USD', kind: 'FIXED', points: 5 };

async function aPartner(live = false) {
  const { _id: partnerId } = await operate(deps, createPartner, { name: 'Corner Shop' });
  if (live) await makeLive(deps.models, partnerId);
  const { _id: integrationId } = await operate(deps, createIntegration, {
    partnerId,
    name: 'web shop',
  });
  return { partnerId, integrationId };
}

async function aCredential() {
  const owner = await aPartner();
  return await operate(deps, createCredential, {
    ...owner,
    mode: 'TEST',
    scopes: ['events:write'],
  });
}

const activeIds = async (partnerId: string) =>
  (await findActiveRules(deps.models, partnerId, 'TEST')).map(({ ruleId }) => ruleId);

test('an operator’s token is stored only as its SHA-256', async (t) => {
  const { operator: admin, token } = await operate(deps, createFirstOperator, {
    name: 'Ada',
    role: 'viewer',
  });
  const stored = await deps.models.operators.findById(admin._id);
  t.is(stored?.tokens[0]?.hash, sha256Hex(token));
  t.false(JSON.stringify(stored).includes(token));
});

test('a secret is encrypted, and opens only with its credential’s id', async (t) => {
  const { credential, secret: made } = await operate(deps, createCredential, {
    ...(await aPartner(true)),
    mode: 'LIVE',
    scopes: ['events:read'],
  });
  const secret = made ?? '';
  t.regex(secret, /^sk_live_/);
  const stored = await deps.models.credentials.findById(credential._id).orFail();
  const sealed = stored.secrets[0]?.sealed ?? '';
  t.is(deps.sealer.open(sealed, credential._id), secret);
  t.throws(() => deps.sealer.open(sealed, 'key_other'));
  const everything = await Promise.all(
    Object.values(deps.models.connection.collections).map((found) => found.find({}).toArray()),
  );
  t.false(JSON.stringify(everything).includes(secret));
});

test('a partner has a limited number of active keys, and a revoked one makes room', async (t) => {
  const owner = await aPartner();
  const fields = { ...owner, mode: 'TEST' as const, scopes: ['events:write' as const] };
  const { credential } = await operate(deps, createCredential, fields);
  const { _id: _, apiKey: __, ...stored } = credential;
  await deps.models.credentials.insertMany(
    Array.from({ length: maxActiveKeys - 1 }, (_, index) => ({
      ...stored,
      _id: `key_${owner.partnerId}_${index}`,
      apiKey: `pk_${owner.partnerId}_${index}`,
    })),
  );
  const refused = await t.throwsAsync(operate(deps, createCredential, fields));
  t.like(refused, { code: 'CONFLICT' });
  t.regex(refused?.message ?? '', /100 active keys.*Revoke one/);
  // If the last response was lost, repeating the request returns the same key with a new secret.
  t.is(
    (await operate(deps, createCredential, fields, { ids: { credential: credential._id } }))
      .credential._id,
    credential._id,
  );
  await operate(deps, revokeCredential, { credentialId: credential._id });
  await t.notThrowsAsync(operate(deps, createCredential, fields));
});

test('a partner has a limited number of integrations', async (t) => {
  const { partnerId } = await aPartner();
  await deps.models.integrations.insertMany(
    Array.from({ length: maxIntegrations - 1 }, (_, index) => ({
      _id: `int_${partnerId}_${index}`,
      partnerId,
      name: 'web shop',
      createdAt: new Date(0),
    })),
  );
  const refused = await t.throwsAsync(
    operate(deps, createIntegration, { partnerId, name: 'one more' }),
  );
  t.like(refused, { code: 'CONFLICT' });
  t.regex(refused?.message ?? '', /100 integrations/);
});

test('concurrent rotations leave two active secrets and no third', async (t) => {
  const { credential } = await aCredential();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 5 }, () =>
      operate(deps, rotateCredential, { credentialId: credential._id }),
    ),
  );
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  const { secrets } = await deps.models.credentials.findById(credential._id).orFail();
  t.is(secrets.length, maxActiveSecrets);
});

test('a revoked secret makes room for the next rotation', async (t) => {
  const { credential, secretId } = await aCredential();
  await operate(deps, rotateCredential, { credentialId: credential._id });
  await t.throwsAsync(operate(deps, rotateCredential, { credentialId: credential._id }), {
    code: 'CONFLICT',
  });
  await operate(deps, revokeSecret, { credentialId: credential._id, secretId });
  const { credential: after } = await operate(deps, rotateCredential, {
    credentialId: credential._id,
  });
  t.is(after.secrets.filter(({ revokedAt }) => revokedAt === null).length, maxActiveSecrets);
});

test('the secrets of a LIVE key expire, each as long after its creation, and those of a TEST key do not', async (t) => {
  const lifeDays = ({ secrets }: CredentialDoc) =>
    secrets.map(({ createdAt, expiresAt }) => expiresAt && (+expiresAt - +createdAt) / dayMs);
  const live = {
    ...(await aPartner(true)),
    mode: 'LIVE' as const,
    scopes: ['events:read' as const],
  };
  const made = await operate(deps, createCredential, live);
  t.deepEqual(lifeDays(made.credential), [liveKeyDays.default]);
  const { credential } = await operate(deps, createCredential, { ...live, days: 30 });
  const soon = { ...deps, now: () => deps.now() + 20 * dayMs };
  const credentialId = credential._id;
  const rotated = await operate(soon, rotateCredential, { credentialId });
  t.deepEqual(lifeDays(rotated.credential), [30, 30]);
  t.is(keyState(rotated.credential, deps.now() + 40 * dayMs), 'ACTIVE');
  t.is(keyState(rotated.credential, deps.now() + 51 * dayMs), 'EXPIRED');
  await t.throwsAsync(operate(soon, rotateCredential, { credentialId }), { code: 'CONFLICT' });
  const later = { ...deps, now: () => deps.now() + 31 * dayMs };
  await t.notThrowsAsync(operate(later, rotateCredential, { credentialId }), 'one has expired');
  t.deepEqual(lifeDays((await aCredential()).credential), [null]);
});

test('owners and developers are told four weeks and one week before a secret expires', async (t) => {
  const live = { ...(await aPartner(true)), mode: 'LIVE' as const };
  const { credential, secretId } = await operate(deps, createCredential, {
    ...live,
    scopes: ['events:read'],
    days: 90,
  });
  await deps.models.webhookEndpoints.create(anEndpoint(live.partnerId, credential.createdAt));
  const revoked = await operate(deps, createCredential, {
    ...live,
    scopes: ['events:read'],
    days: 90,
  });
  const ended = { credentialId: revoked.credential._id, secretId: revoked.secretId };
  await operate(deps, revokeSecret, ended);
  /** What was told by then: never of the secret that was revoked. */
  const toldBy = async (days: number) => {
    await announceDue(deps.models, new Date(+credential.createdAt + days * dayMs));
    return await deps.models.webhookDeliveries
      .find({ partnerId: live.partnerId, type: 'credential.expiring' })
      .sort({ _id: 1 });
  };
  t.deepEqual(await toldBy(61), []);
  const [first, ...others] = await toldBy(62.5);
  t.is(others.length, 0);
  t.like(JSON.parse(first?.body ?? ''), {
    mode: 'LIVE',
    data: { credentialId: credential._id, secretId },
  });
  t.is((await toldBy(82)).length, 1);
  t.is((await toldBy(83.5)).length, 2);
  for (const role of ['owner', 'developer'] as const) {
    t.true(defaultNotices[role].includes('credential.expiring'));
  }
});

/** An endpoint for everything in LIVE, which was there before. */
const anEndpoint = (partnerId: string, since: Date): WebhookEndpointDoc => ({
  _id: newId('webhookEndpoint'),
  partnerId,
  mode: 'LIVE',
  slot: 0,
  url: 'https://shop.example/',
  eventTypes: ['*'],
  description: '',
  secrets: [],
  status: 'PAUSED',
  disabledReason: null,
  failingSince: null,
  warnedAt: null,
  disabledNoticeAt: null,
  deliveringUntil: null,
  createdAt: new Date(+since - dayMs),
  updatedAt: since,
});

test('revoking twice keeps the time of the first', async (t) => {
  const { credential, secretId } = await aCredential();
  const later = { ...deps, now: () => deps.now() + 1000 };
  const once = await operate(deps, revokeSecret, { credentialId: credential._id, secretId });
  const { revokedAt } = await operate(deps, revokeCredential, { credentialId: credential._id });
  const twice = await operate(later, revokeSecret, { credentialId: credential._id, secretId });
  t.deepEqual(twice.secrets, once.secrets);
  t.deepEqual(
    (await operate(later, revokeCredential, { credentialId: credential._id })).revokedAt,
    revokedAt,
  );
});

test('concurrent activations run one after the other, and the last one is active', async (t) => {
  const { partnerId } = await aPartner();
  const rules = await Promise.all(
    Array.from({ length: 4 }, () => operate(deps, createRule, { partnerId, ...fixed })),
  );
  await Promise.all(rules.map(({ _id }) => operate(deps, activateRule, { ruleId: _id })));
  const log = await deps.models.ruleActivations.find({ partnerId }).sort({ seq: 1 });
  t.deepEqual(
    log.map(({ seq }) => seq),
    [1, 2, 3, 4],
  );
  t.deepEqual(await activeIds(partnerId), [log.at(-1)?.ruleId ?? '']);
});

test('of concurrent replacements of the same rule, one succeeds', async (t) => {
  const { partnerId } = await aPartner();
  const [active, ...others] = await Promise.all(
    [1, 2, 3, 4].map((points) => operate(deps, createRule, { partnerId, ...fixed, points })),
  );
  const seen = active?._id ?? '';
  await operate(deps, activateRule, { ruleId: seen, seen: null });
  const all = await Promise.allSettled(
    others.map(({ _id: ruleId }) => operate(deps, activateRule, { ruleId, seen })),
  );
  t.is(all.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const one of all) if (one.status === 'rejected') t.is(one.reason.code, 'CONFLICT');
  t.is(await deps.models.ruleActivations.countDocuments({ partnerId }), 2);
});

test('activating the active rule appends nothing', async (t) => {
  const { partnerId } = await aPartner();
  const { _id: ruleId } = await operate(deps, createRule, { partnerId, ...fixed });
  t.true((await operate(deps, activateRule, { ruleId })).changed);
  t.false((await operate(deps, activateRule, { ruleId })).changed);
  t.is(await deps.models.ruleActivations.countDocuments({ partnerId }), 1);
});

test('deactivating the active rule leaves none; deactivating a replaced rule changes nothing', async (t) => {
  const { partnerId } = await aPartner();
  const [old, current] = [
    await operate(deps, createRule, { partnerId, ...fixed }),
    await operate(deps, createRule, { partnerId, ...fixed }),
  ];
  await operate(deps, activateRule, { ruleId: old._id });
  await operate(deps, activateRule, { ruleId: current._id });
  t.false((await operate(deps, deactivateRule, { ruleId: old._id })).changed);
  t.deepEqual(await activeIds(partnerId), [current._id]);
  await operate(deps, deactivateRule, { ruleId: current._id });
  t.deepEqual(await activeIds(partnerId), []);
});

test('an integration can have its own active rule alongside the partner’s', async (t) => {
  const { partnerId, integrationId } = await aPartner();
  const general = await operate(deps, createRule, { partnerId, ...fixed });
  const own = await operate(deps, createRule, { partnerId, ...fixed, integrationId });
  await operate(deps, activateRule, { ruleId: general._id });
  await operate(deps, activateRule, { ruleId: own._id });
  t.deepEqual((await activeIds(partnerId)).toSorted(), [general._id, own._id].toSorted());
});

for (const kind of ruleKinds) {
  test(`a ${kind} rule is stored as requested, and earns by it once active`, async (t) => {
    const { partnerId } = await aPartner();
    const { earning, earns } = earningExamples[kind];
    const { _id } = await operate(deps, createRule, {
      partnerId,
      mode: 'TEST',
      currency: 'USD',
      ...earning,
    });
    await operate(deps, activateRule, { ruleId: _id });
    const [rule] = await findActiveRules(deps.models, partnerId, 'TEST');
    if (rule === undefined) return t.fail('a rule should be active');
    t.like(rule, earning);
    for (const [subtotalCents, points] of earns) {
      t.is(computePoints(rule, subtotalCents, deps.now(), null).points, points);
    }
  });

  test(`a ${kind} rule requires every field of its kind, and accepts no others`, async (t) => {
    const { partnerId } = await aPartner();
    const { earning } = earningExamples[kind];
    const { kind: _, ...any } = Object.assign(
      {},
      ...ruleKinds.map((one) => earningExamples[one].earning),
    );
    for (const [field, value] of Object.entries(any)) {
      const asked = { ...earning, [field]: field in earning ? undefined : value };
      const fields = { mode: 'TEST', currency: 'USD', ...asked } as RuleFields;
      await t.throwsAsync(operate(deps, createRule, { partnerId, ...fields }), {
        code: 'VALIDATION_FAILED',
        message: new RegExp(`^${field} .*${kind}`),
      });
    }
    t.is(await deps.models.earningRules.countDocuments({ partnerId }), 0);
  });
}

const day = { startsAt: '2030-01-01T00:00:00Z', endsAt: '2030-01-02T00:00:00+01:00' };
const ofAmount = { ...fixed, kind: 'PER_AMOUNT', unitCents: 100 } as const;

test('a rule is stored with its defaults, a campaign in any timezone, and a window in seconds', async (t) => {
  const { partnerId } = await aPartner();
  const store = (fields: object) =>
    execute(deps, createRule, system('test'), { partnerId, ...ofAmount, ...fields });
  t.like(await store({}), {
    integrationId: null,
    minimumOrderCents: 0,
    multiplier: 1,
    campaign: null,
    capPerOrderPoints: null,
    capPerCustomerDayPoints: null,
    claimWindow: 'P30D',
    pointValueMicros: 10_000,
  });
  const fields = { campaign: day, multiplier: 3, claimWindow: 'PT5S' };
  t.like(await store(fields), fields);
  const { budget } = await store({ budget: { name: 'Spring', monthPoints: 5 } });
  t.deepEqual(budget, { name: 'Spring', totalPoints: null, monthPoints: 5 });
});

test('a rule outside the limits is never stored, for any actor', async (t) => {
  const { partnerId } = await aPartner();
  for (const [field, value] of [
    ['points', 100_001],
    ['points', 1.5],
    ['unitCents', 0],
    ['minimumOrderCents', -1],
    ['multiplier', 0],
    ['multiplier', 0.99],
    ['multiplier', 1.125],
    ['multiplier', 101],
    ['multiplier', 100.01],
    ['capPerOrderPoints', 1_000_000_001],
    ['capPerCustomerDayPoints', -1],
    ['pointValueMicros', 1_000_000_001],
    ['claimWindow', 'a month'],
    ['claimWindow', 'PT0S'],
    ['claimWindow', 'P11Y'],
    ['budget', { name: 'Spring' }],
    ['budget', { name: 'Spring', totalPoints: 0 }],
    ['budget', { name: 'Spring', monthPoints: 1.5 }],
    ['budget', { name: 'Spring', monthPoints: 1_000_000_000_001 }],
    ['budget', { name: ' ', totalPoints: 1 }],
    ['budget', { name: 'One\nTwo', totalPoints: 1 }],
    ['budget', { totalPoints: 1 }],
    ['currency', 'usd'],
    ['integrationId', 'int_none'],
    ['campaign', { ...day, endsAt: day.startsAt }],
    ['campaign', { ...day, startsAt: '2030-01-01T00:00:00' }],
    ['campaign', { ...day, endsAt: '2030-02-30T00:00:00Z' }],
    ['campaign', { startsAt: day.startsAt }],
  ] as const) {
    const rule = { partnerId, ...ofAmount, [field]: value };
    await t.throwsAsync(
      execute(deps, createRule, system('test'), rule),
      { code: 'VALIDATION_FAILED', message: new RegExp(field) },
      `${field} ${JSON.stringify(value)}`,
    );
  }
  t.is(await deps.models.earningRules.countDocuments({ partnerId }), 0);
});

test('a key needs an integration of its partner, valid scopes, and in LIVE an end', async (t) => {
  const [mine, theirs] = [await aPartner(), await aPartner()];
  const key = { ...mine, mode: 'TEST', scopes: ['events:write'] };
  for (const wrong of [
    { integrationId: theirs.integrationId },
    { scopes: [] },
    { mode: 'LIVE', days: liveKeyDays.min - 1 },
    { mode: 'LIVE', days: liveKeyDays.max + 1 },
    { days: 90 },
    { scopes: ['events:all'] },
    { mode: 'BOTH' },
  ]) {
    const fields = { ...key, ...wrong } as CredentialFields;
    await t.throwsAsync(execute(deps, createCredential, system('test'), fields), {
      code: 'VALIDATION_FAILED',
    });
  }
  const { partnerId } = mine;
  t.is(await deps.models.credentials.countDocuments({ partnerId }), 0);
});

test('going live cannot be set as a field, and a change must not be empty', async (t) => {
  const { partnerId } = await aPartner();
  const refused = { code: 'VALIDATION_FAILED' };
  for (const fields of [{ live: true }, { goLive: { state: 'LIVE' } }, { goLiveState: 'LIVE' }]) {
    const [made, changed] = [
      { name: 'Shop', ...fields },
      { partnerId, ...fields },
    ];
    await t.throwsAsync(execute(deps, createPartner, system('test'), made), refused);
    await t.throwsAsync(execute(deps, updatePartner, system('test'), changed), refused);
  }
  await t.throwsAsync(execute(deps, updatePartner, system('test'), { partnerId }), refused);
  for (const wrong of [
    ...[{ contactEmail: 'nobody' }, { lowBalanceThresholdCents: -1 }, { currency: 'usd' }],
    ...[{ country: 'us' }, { goLiveMinimumFundingCents: '1' }, { apiRateLimitPerMinute: '60' }],
  ]) {
    const change = { partnerId, ...wrong } as never;
    await t.throwsAsync(execute(deps, updatePartner, system('test'), change), refused);
  }
  const { goLive } = await deps.models.partners.findById(partnerId).orFail();
  t.is(goLive.state, 'SANDBOX');
});

test('an owner changes their partner’s profile, but after go-live neither reviewed fields nor to empty ones', async (t) => {
  const { partnerId } = await aPartner();
  const owner: UserActor = {
    kind: 'user',
    id: 'usr_1',
    partnerId,
    role: 'owner',
    requestId: 'req_test',
    factor: null,
  };
  const change = (changes: object, by: UserActor | SystemActor = owner) =>
    execute(deps, updatePartner, by, { partnerId, ...changes });
  for (const ofTheContract of [{ maxPointMicros: 1 }, { status: 'SUSPENDED' }]) {
    await t.throwsAsync(change(ofTheContract), { code: 'FORBIDDEN', message: /its own profile/ });
  }
  await change({ ...profileOf('Shop'), website: null });
  await change({ website: 'https://shop.example' });
  await makeLive(deps.models, partnerId);
  await t.throwsAsync(change({ taxId: 'GB 1' }), { message: /Confirm your second factor/ });
  owner.factor = new Date();
  for (const other of [
    ...[{ name: 'Another' }, { legalName: 'Another Ltd' }],
    ...[{ website: 'https://a.b' }, { supportEmail: 'a@other.example' }],
  ]) {
    await t.throwsAsync(change(other), { code: 'FORBIDDEN', message: /was reviewed/ });
  }
  for (const by of [owner, system('test')]) {
    const emptied = { code: 'CONFLICT', message: /contactEmail cannot be empty/ };
    await t.throwsAsync(change({ contactEmail: null }, by), emptied);
  }
  t.is((await change({ country: 'GB', name: 'Shop' })).country, 'GB');
  t.is((await change({ name: 'Shop Ltd' }, system('test'))).name, 'Shop Ltd');
});

test('a partner that goes live during a change keeps the reviewed fields', async (t) => {
  const { models } = deps;
  for (const [changes, message] of [
    [{ supportEmail: 'other@shop.example' }, /supportEmail was reviewed/],
    [{ contactEmail: null }, /contactEmail cannot be empty/],
  ] as const) {
    const { partnerId } = await aPartner();
    await models.partners.updateOne({ _id: partnerId }, { $set: { supportEmail: 'a@b.example' } });
    const read = await models.partners.findById(partnerId).orFail();
    await makeLive(models, partnerId);
    const user = { kind: 'user', id: 'usr_1', partnerId, role: 'owner' } as const;
    const change = updatePartner.run(
      deps as OperationDeps,
      { partnerId, ...changes },
      {
        actor: { ...user, requestId: 'req_test', factor: 'NONE' } as never,
        found: read,
        approvedBy: null,
        shown: null,
        idOf: () => '',
      },
    );
    await t.throwsAsync(change, { message });
    const { supportEmail } = await models.partners.findById(partnerId).orFail();
    t.is(supportEmail, 'a@b.example');
  }
});

test('a name that looks like a link is always refused; an older one stays until it is changed', async (t) => {
  const name = 'Prizes at evil.example';
  const refusal = { code: 'VALIDATION_FAILED', message: /looks like a link/ };
  await t.throwsAsync(operate(deps, createPartner, { name }), refusal);
  const { partnerId } = await aPartner();
  const { models } = deps;
  await t.throwsAsync(operate(deps, updatePartner, { partnerId, name }), refusal);
  await models.partners.updateOne({ _id: partnerId }, { $set: { name } });
  const changed = await operate(deps, updatePartner, { partnerId, name, country: 'DE' });
  t.like(changed, { name, country: 'DE' });
});

const plain: RuleTerms & Earning = {
  partnerId: 'prt_1',
  mode: 'LIVE',
  integrationId: null,
  currency: 'USD',
  kind: 'PER_AMOUNT',
  points: 10,
  unitCents: 100,
  minimumOrderCents: 0,
  multiplier: 1,
  campaign: null,
  capPerOrderPoints: null,
  capPerCustomerDayPoints: null,
  claimWindow: 'P30D',
  pointValueMicros: 10_000,
};
/** Every term at its limit, so that the largest order would earn 10^15 points. */
const generous = {
  ...plain,
  points: ruleLimits.points,
  unitCents: 1,
  multiplier: ruleLimits.multiplier,
};

test('a rule whose largest purchase would overflow is refused on creation', (t) => {
  t.is(ruleProblems(generous), undefined);
  t.is(largestReward({ ruleId: 'rul_1', ...generous }).points, 1e15);
  const dear = { ...generous, pointValueMicros: 100_000 };
  t.regex(ruleProblems(dear)?.capPerOrderPoints ?? '', /capPerOrderPoints: .* set a limit/);
  const campaign = { startsAt: '2030-01-01T00:00:00Z', endsAt: '2030-01-02T00:00:00Z' };
  t.regex(ruleProblems({ ...dear, campaign })?.capPerOrderPoints ?? '', /set a limit/);
  t.is(ruleProblems({ ...dear, capPerOrderPoints: ruleLimits.capPoints }), undefined);
  t.is(ruleProblems({ ...dear, capPerCustomerDayPoints: ruleLimits.capPoints }), undefined);
});

test('every mistake in a rule is named at once', (t) => {
  const campaign = { startsAt: '2030-01-02T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' };
  const wrong = { ...plain, points: -1, multiplier: 0, claimWindow: 'P1000Y', campaign };
  const problems = ruleProblems(wrong) ?? {};
  t.deepEqual(Object.keys(problems).toSorted(), [
    ...['campaign.endsAt', 'claimWindow', 'multiplier', 'points'],
  ]);
  t.is(problems.multiplier, 'multiplier must be a number from 1 to 100 with at most two decimals');
  t.is(problems['campaign.endsAt'], "campaign.endsAt must be after the campaign's start");
});

/** Integers in a range, with its ends and small values more often. */
const upTo = (max: number, min = 0) =>
  fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }), fc.integer({ min, max: min + 50 }));
const cap = fc.option(upTo(ruleLimits.capPoints), { freq: 2 });

const anyRule = fc
  .record({
    points: upTo(ruleLimits.points),
    unitCents: fc.option(upTo(ruleLimits.unitCents, 1)),
    minimumOrderCents: upTo(maxSubtotalCents),
    multiplier: upTo(ruleLimits.multiplier, 1),
    campaign: fc.option(
      fc.constant({ startsAt: '2030-01-01T00:00:00Z', endsAt: '2030-01-02T00:00:00Z' }),
    ),
    capPerOrderPoints: cap,
    capPerCustomerDayPoints: cap,
    pointValueMicros: upTo(ruleLimits.pointValueMicros),
  })
  .map(({ points, unitCents, ...terms }): RuleTerms & Earning => {
    const { unitCents: _, ...common } = plain;
    return unitCents === null
      ? { ...common, ...terms, kind: 'FIXED', points }
      : { ...common, ...terms, kind: 'PER_AMOUNT', points, unitCents };
  });

test('a stored rule can compute every purchase and its cost', (t) => {
  let stored = 0;
  const property = fc.property(
    anyRule,
    upTo(maxSubtotalCents),
    fc.boolean(),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (rule, subtotalCents, isDuringCampaign, left) => {
      if (ruleProblems(rule) !== undefined) return;
      stored += 1;
      const atMs = Date.parse(isDuringCampaign ? '2030-01-01T12:00:00Z' : '2031-01-01T00:00:00Z');
      const { capPerCustomerDayPoints: ofDay } = rule;
      const dayLeft = ofDay === null ? null : Math.floor(ofDay * left);
      const { points } = computePoints({ ruleId: 'rul_1', ...rule }, subtotalCents, atMs, dayLeft);
      const cents = liabilityCentsOf(points, rule);
      if (!Number.isSafeInteger(cents)) throw new Error(`${cents} cents`);
    },
  );
  t.notThrows(() => fc.assert(property, { numRuns: 5_000 }));
  t.true(stored > 1_000, `${stored} of the rules are valid`);
});
