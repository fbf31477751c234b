import { randomUUID } from 'node:crypto';
import test from 'ava';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { partnerBrowser } from '../portal/helpers/people.ts';
import { startPortal } from '../portal/helpers/portal.ts';

/**
 * The keys by which MongoDB would be sharded (docs/decisions/026): those of the collections that grow
 * with the purchases. Every unique index except that of `_id` begins with the whole key.
 */
const shardKeys: Record<string, Record<string, 1>> = {
  order_events: { partnerId: 1 },
  rewards: { partnerId: 1 },
  redemptions: { partnerId: 1 },
  redemption_events: { partnerId: 1 },
  refusal_totals: { partnerId: 1 },
  reviews: { partnerId: 1 },
  review_notes: { partnerId: 1 },
  ledger_transactions: { partnerId: 1 },
  wallets: { partnerId: 1 },
  customer_balances: { partnerId: 1 },
  usage_periods: { partnerId: 1 },
  customer_days: { partnerId: 1 },
  rule_budgets: { partnerId: 1 },
  points_ends: { partnerId: 1 },
  audit_checkpoints: { partnerId: 1 },
  audit_entries: { partnerId: 1 },
  request_log: { partnerId: 1 },
  rate_limits: { partnerId: 1 },
  data_keys: { partnerId: 1, customerId: 1 },
  refused_requests: { partnerId: 1, credentialId: 1 },
  job_rows: { partnerId: 1, jobId: 1 },
  webhook_deliveries: { partnerId: 1 },
};

/** The collections that grow only with partners and people, and the log of receipts, which is one sequence. */
const unsharded: readonly string[] = [
  'rehearsals',
  'waiting_refunds',
  'ledger_leaves',
  'tree_heads',
  'signing_keys',
  'partners',
  'integrations',
  'connections',
  'credentials',
  'earning_rules',
  'rule_activations',
  'refund_policies',
  'policy_activations',
  'plan_versions',
  'subscriptions',
  'invoices',
  'erasures',
  'operators',
  'proposals',
  'users',
  'invitations',
  'sessions',
  'access_tokens',
  'sign_in_links',
  'points_links',
  'logos',
  'audit_runs',
  'reconciliation_runs',
  'jobs',
  'relays',
  'alone_sums',
  'mail_counts',
  'webhook_endpoints',
  'service_accounts',
  'watermarks',
  'key_checks',
];

let service: OwnService;
test.before(async () => {
  service = await startOwnService();
});
test.after.always(() => service?.stop());

const isPrefixOf = (key: object, index: object): boolean =>
  Object.keys(key).every((field, place) => Object.keys(index)[place] === field);

test('each collection is sharded by a key, or unsharded on purpose', (t) => {
  const collections = Object.values(service.models.connection.models).map(
    ({ collection }) => collection.name,
  );
  t.deepEqual(collections.toSorted(), [...Object.keys(shardKeys), ...unsharded].toSorted());
});

test('each unique index starts with the whole shard key, and an unfiltered index supports it', (t) => {
  for (const { collection, schema } of Object.values(service.models.connection.models)) {
    const key = shardKeys[collection.name];
    if (key === undefined) continue;
    const indexes = schema.indexes();
    for (const [fields, { unique }] of indexes) {
      if (unique) t.true(isPrefixOf(key, fields), `${collection.name} ${JSON.stringify(fields)}`);
    }
    const supporting = indexes.filter(
      ([fields, { partialFilterExpression, sparse }]) =>
        isPrefixOf(key, fields) &&
        Object.keys(key).every((field) => fields[field] === 1) &&
        // A multikey index cannot support a shard key.
        !Object.keys(fields).some((field) => field.startsWith('postings.')) &&
        !partialFilterExpression &&
        !sparse,
    );
    t.true(supporting.length > 0, `${collection.name} has no index for ${JSON.stringify(key)}`);
  }
});

interface Profiled {
  op: string;
  ns: string;
  command: Record<string, unknown>;
}

/** Whether the filter names the shard. */
function isTargeted(filter: unknown): boolean {
  const { partnerId, $or, $and } = (filter ?? {}) as Record<string, unknown[] | undefined>;
  return partnerId !== undefined || !!$or?.every(isTargeted) || !!$and?.some(isTargeted);
}

function filterOf({ command }: Profiled): unknown {
  const [first] = (command.pipeline ?? []) as { $match?: unknown }[];
  return command.filter ?? command.q ?? command.query ?? first?.$match;
}

test('requests, workflows and pages query a single shard, except for the queries listed here', async (t) => {
  const db = service.models.connection.db;
  if (!db) throw new Error('the service should be connected');
  const partner = await service.partner();
  const portal = await startPortal(service);
  t.teardown(() => portal.stop());
  const browser = await partnerBrowser(portal, partner.partnerId);
  await db.command({ profile: 2 });
  const purchase = aPurchase();
  const idempotencyKey = randomUUID();
  const { body } = await partner.purchase(purchase, { idempotencyKey });
  t.is((await partner.purchase(purchase, { idempotencyKey })).status, 201);
  await service.allStarted();
  for (const what of ['plans', 'usage', 'billing', `rewards/${body.reward.id}`]) {
    const path = `/api/v1/partner/${what}`;
    t.is((await partner.send(undefined, { method: 'GET', path })).status, 200, what);
  }
  for (const path of [
    '/home',
    '/events',
    `/orders/${body.reward.id}`,
    '/orders',
    '/usage',
    '/funding',
  ]) {
    t.is((await browser.ask('GET', path)).status, 200, path);
  }
  await db.command({ profile: 0 });
  const token = await claimTokenOf(service, body.eventId);
  await db.command({ profile: 2 });
  await service.claim(token);
  await partner.refund({ externalOrderId: purchase.externalOrderId });
  await service.carriedOut(partner);
  const looked = { ns: /webhook_deliveries$/, 'command.filter.nextTryAt': { $exists: true } };
  await eventually(
    () => db.collection('system.profile').findOne(looked),
    'the worker has looked for due deliveries',
  );
  await db.command({ profile: 0 });
  const profiled = await db
    .collection<Profiled>('system.profile')
    .find({ op: { $in: ['query', 'update', 'remove', 'command'] } })
    .toArray();
  const asked = profiled.filter((one) => filterOf(one) !== undefined);
  t.true(asked.length > 20);
  const broadcast = asked
    .filter(({ ns }) => shardKeys[ns.slice(ns.indexOf('.') + 1)])
    .filter((one) => !isTargeted(filterOf(one)))
    .map((one) => {
      const fields = Object.keys(filterOf(one) as object).toSorted();
      return `${one.ns.slice(one.ns.indexOf('.') + 1)}: ${fields.join(', ')}`;
    });
  t.deepEqual([...new Set(broadcast)].toSorted(), [
    // The test's own wait until all workflows have started.
    'order_events: due.since',
    // A claim link does not name its partner.
    'rewards: claimTokenHash',
    // The search for endpoints with due deliveries, across all partners.
    'webhook_deliveries: endpointId, nextTryAt, state',
  ]);
});
