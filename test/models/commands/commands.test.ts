import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import test from 'ava';
import { maxActiveSecrets } from '../../../domain/credentials.ts';
import { ruleKinds } from '../../../domain/earning-rules.ts';
import { computePoints } from '../../../domain/points.ts';
import { activateRule } from '../../../models/commands/activate-rule.ts';
import { createCredential } from '../../../models/commands/create-credential.ts';
import { createIntegration } from '../../../models/commands/create-integration.ts';
import { createOperator } from '../../../models/commands/create-operator.ts';
import { createPartner } from '../../../models/commands/create-partner.ts';
import { createRule } from '../../../models/commands/create-rule.ts';
import { deactivateRule } from '../../../models/commands/deactivate-rule.ts';
import type { CommandDeps } from '../../../models/commands/deps.ts';
import type { RuleFields } from '../../../models/commands/draft-rule.ts';
import { revokeCredential } from '../../../models/commands/revoke-credential.ts';
import { revokeSecret } from '../../../models/commands/revoke-secret.ts';
import { rotateSecret } from '../../../models/commands/rotate-secret.ts';
import { findActiveRules } from '../../../models/rules.ts';
import { buildIndexes, createModels } from '../../../models/schemas/index.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { createSealer } from '../../../platform/sealing.ts';
import { connectPatiently } from '../../helpers/connect-patiently.ts';
import { earningExamples } from '../../helpers/earning-examples.ts';
import { makeLive } from '../../helpers/live-partner.ts';

let deps: CommandDeps;
test.before(async () => {
  const uri = new URL(process.env.MONGODB_URI ?? '');
  uri.pathname = `/test_${randomUUID().slice(0, 8)}`;
  const models = createModels(await connectPatiently(uri.href));
  await buildIndexes(models);
  deps = {
    models,
    sealer: createSealer([{ id: 'k', key: createSecretKey(randomBytes(32)) }]),
    now: () => 1_700_000_000_000,
  };
});
test.after.always(async () => {
  await deps.models.connection.dropDatabase();
  await deps.models.connection.close();
});

const fixed: RuleFields = { mode: 'TEST', currency: 'USD', kind: 'FIXED', points: 5 };

async function aPartner(live = false) {
  const { _id: partnerId } = await createPartner(deps, { name: 'Corner Shop' });
  if (live) await makeLive(deps.models, partnerId);
  const { _id: integrationId } = await createIntegration(deps, { partnerId, name: 'web shop' });
  return { partnerId, integrationId };
}

async function aCredential() {
  const owner = await aPartner();
  return await createCredential(deps, { ...owner, mode: 'TEST', scopes: ['events:write'] });
}

const activeIds = async (partnerId: string) =>
  (await findActiveRules(deps.models, partnerId, 'TEST')).map(({ ruleId }) => ruleId);

test('an operator’s token is stored as its SHA-256 alone', async (t) => {
  const { admin, token } = await createOperator(deps, { name: 'Ada', role: 'viewer' });
  const stored = await deps.models.admins.findById(admin._id).lean();
  t.is(stored?.tokens[0]?.hash, sha256Hex(token));
  t.false(JSON.stringify(stored).includes(token));
});

test('a secret is sealed and opens with the id of its credential alone', async (t) => {
  const { credential, secret } = await createCredential(deps, {
    ...(await aPartner(true)),
    mode: 'LIVE',
    scopes: ['events:read'],
  });
  t.regex(secret, /^sk_live_/);
  const stored = await deps.models.credentials.findById(credential._id).lean().orFail();
  const sealed = stored.secrets[0]?.sealed ?? '';
  t.is(deps.sealer.open(sealed, credential._id), secret);
  t.throws(() => deps.sealer.open(sealed, 'key_other'));
});

test('rotations at once leave two active secrets and no third', async (t) => {
  const { credential } = await aCredential();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 5 }, () => rotateSecret(deps, credential._id)),
  );
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  const { secrets } = await deps.models.credentials.findById(credential._id).lean().orFail();
  t.is(secrets.length, maxActiveSecrets);
});

test('a revoked secret makes room for the next rotation', async (t) => {
  const { credential, secretId } = await aCredential();
  await rotateSecret(deps, credential._id);
  await t.throwsAsync(rotateSecret(deps, credential._id), { code: 'CONFLICT' });
  await revokeSecret(deps, credential._id, secretId);
  const { credential: after } = await rotateSecret(deps, credential._id);
  t.is(after.secrets.filter(({ revokedAt }) => revokedAt === null).length, maxActiveSecrets);
});

test('revoking twice keeps the first time', async (t) => {
  const { credential, secretId } = await aCredential();
  const later = { ...deps, now: () => deps.now() + 1000 };
  const once = await revokeSecret(deps, credential._id, secretId);
  const { revokedAt } = await revokeCredential(deps, credential._id);
  const twice = await revokeSecret(later, credential._id, secretId);
  t.deepEqual(twice.secrets, once.secrets);
  t.deepEqual((await revokeCredential(later, credential._id)).revokedAt, revokedAt);
});

test('activations at once are one after the other, and the last one is active', async (t) => {
  const { partnerId } = await aPartner();
  const rules = await Promise.all(
    Array.from({ length: 4 }, () => createRule(deps, partnerId, fixed)),
  );
  await Promise.all(rules.map(({ _id }) => activateRule(deps, _id)));
  const log = await deps.models.ruleActivations.find({ partnerId }).sort({ seq: 1 }).lean();
  t.deepEqual(
    log.map(({ seq }) => seq),
    [1, 2, 3, 4],
  );
  t.deepEqual(await activeIds(partnerId), [log.at(-1)?.ruleId ?? '']);
});

test('activating the active rule appends nothing', async (t) => {
  const { partnerId } = await aPartner();
  const { _id: ruleId } = await createRule(deps, partnerId, fixed);
  t.true((await activateRule(deps, ruleId)).changed);
  t.false((await activateRule(deps, ruleId)).changed);
  t.is(await deps.models.ruleActivations.countDocuments({ partnerId }), 1);
});

test('deactivating a rule leaves none, and one that was replaced stays replaced', async (t) => {
  const { partnerId } = await aPartner();
  const [old, current] = [
    await createRule(deps, partnerId, fixed),
    await createRule(deps, partnerId, fixed),
  ];
  await activateRule(deps, old._id);
  await activateRule(deps, current._id);
  t.false((await deactivateRule(deps, old._id)).changed);
  t.deepEqual(await activeIds(partnerId), [current._id]);
  await deactivateRule(deps, current._id);
  t.deepEqual(await activeIds(partnerId), []);
});

test('an integration has an active rule of its own beside the partner’s', async (t) => {
  const { partnerId, integrationId } = await aPartner();
  const general = await createRule(deps, partnerId, fixed);
  const own = await createRule(deps, partnerId, { ...fixed, integrationId });
  await activateRule(deps, general._id);
  await activateRule(deps, own._id);
  t.deepEqual((await activeIds(partnerId)).toSorted(), [general._id, own._id].toSorted());
});

for (const kind of ruleKinds) {
  test(`a ${kind} rule is stored as it was asked for, and earns so when it is active`, async (t) => {
    const { partnerId } = await aPartner();
    const { earning, earns } = earningExamples[kind];
    const { _id } = await createRule(deps, partnerId, {
      mode: 'TEST',
      currency: 'USD',
      ...earning,
    });
    await activateRule(deps, _id);
    const [rule] = await findActiveRules(deps.models, partnerId, 'TEST');
    if (rule === undefined) return t.fail('no rule is active');
    t.like(rule, earning);
    for (const [subtotalCents, points] of earns) {
      t.is(computePoints(rule, subtotalCents, deps.now(), null).points, points);
    }
  });

  test(`a ${kind} rule has every field of its kind, and none of another`, async (t) => {
    const { partnerId } = await aPartner();
    const { earning } = earningExamples[kind];
    const { kind: _, ...any } = Object.assign(
      {},
      ...ruleKinds.map((one) => earningExamples[one].earning),
    );
    for (const [field, value] of Object.entries(any)) {
      const asked = { ...earning, [field]: field in earning ? undefined : value };
      const fields = { mode: 'TEST', currency: 'USD', ...asked } as RuleFields;
      await t.throwsAsync(createRule(deps, partnerId, fields), {
        code: 'VALIDATION_FAILED',
        message: new RegExp(`^${field} .*${kind}`),
      });
    }
    t.is(await deps.models.earningRules.countDocuments({ partnerId }), 0);
  });
}

test('a rule outside the limits is never stored, whoever asks', async (t) => {
  const { partnerId } = await aPartner();
  const wrong = [{ points: 100_001 }, { multiplier: 0 }, { claimWindow: 'soon' }];
  for (const fields of wrong) {
    await t.throwsAsync(createRule(deps, partnerId, { ...fixed, ...fields }), {
      code: 'VALIDATION_FAILED',
    });
  }
  t.is(await deps.models.earningRules.countDocuments({ partnerId }), 0);
});
