import test from 'ava';
import { createCheckpoints, runAudit } from '../../../audit/index.ts';
import { showSecret } from '../../../operations/credentials.ts';
import { execute } from '../../../operations/execute.ts';
import { loadConfig } from '../../../platform/config.ts';
import { startAnotherAdminApi } from '../../helpers/another-api.ts';
import { ownerOf } from '../../helpers/operate.ts';
import { anotherOperator, auditOf, Operator } from '../../helpers/operator.ts';
import { type Service, startService } from '../../helpers/service.ts';

let service: Service;
let api: Awaited<ReturnType<typeof startAnotherAdminApi>>;
let ada: Operator;
let bob: Operator;
test.before(async () => {
  service = await startService();
  const config = loadConfig({ ...service.env, FOUR_EYES: 'on' });
  api = await startAnotherAdminApi(service, { config });
  ada = new Operator(api, service.adminToken);
  bob = new Operator(api, (await anotherOperator(service, 'Bob')).token);
});
test.after.always(async () => {
  await api?.stop();
  await service?.stop();
});

const wire = { amountCents: 5_000, currency: 'USD', externalReference: 'wire 1' };

const approve = (by: Operator, { proposalId }: { proposalId: string }) =>
  by.post(`/proposals/${proposalId}/approval`);

test('a sensitive operation returns its proposal, and the approval returns the operation’s result', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const path = `/partners/${partnerId}/top-ups`;
  const proposed = await ada.post(path, wire);
  t.is(proposed.status, 202);
  const { proposal } = proposed.body;
  const { operatorId } = await ada.me();
  t.like(proposal, {
    action: 'partner.top-up',
    partnerId,
    targetId: partnerId,
    status: 'PROPOSED',
    proposedBy: operatorId,
    decidedBy: null,
    carriedOutAt: null,
    details: { reference: 'wire 1', amountCents: 5_000 },
    facts: { amountCents: 5_000, currency: 'USD' },
  });
  const own = await approve(ada, proposal);
  t.deepEqual([own.status, own.body.error.code], [403, 'FORBIDDEN']);
  const { items } = (await ada.get(`/proposals?status=PROPOSED&partner=${partnerId}`)).body;
  t.deepEqual(items, [proposal]);
  const shown = await bob.get(`/proposals/${proposal.proposalId}`);
  t.deepEqual(shown.body.arguments, { partnerId, ...wire });
  const [read] = await auditOf(service, shown);
  t.like(read, { action: 'proposal.read', targetId: proposal.proposalId });

  const approved = await approve(bob, proposal);
  t.is(approved.status, 200);
  t.is(approved.body.proposal.status, 'APPROVED');
  t.is(approved.body.result.wallet.fundingCents, 5_000);

  const { models, hashKey, config } = service;
  const checkpoints = createCheckpoints(config.customerHashKey, null);
  const run = await runAudit({ models, hashKey, checkpoints }, { partnerId });
  t.is(run.alone, null, 'no operation was carried out by one person alone');
  t.like(
    run.checks.find(({ name }) => name.startsWith('operators: two permitted people')),
    { lookedAt: 1, faults: 0 },
  );

  t.like((await approve(bob, proposal)).body, { result: null });
  t.is((await ada.post(path, wire)).status, 200);
});

test('a proposal rejected with a reason can no longer be approved', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const { proposal } = (await ada.post(`/partners/${partnerId}/top-ups`, wire)).body;
  const path = `/proposals/${proposal.proposalId}/rejection`;
  t.is((await bob.post(path, {})).status, 400);
  const rejected = await bob.post(path, { reason: 'no such transfer' });
  t.like(rejected.body, { status: 'REJECTED', reason: 'no such transfer' });
  t.is((await approve(bob, proposal)).status, 409);
});

test('a LIVE secret is shown to neither operator, but once to an owner of the partner', async (t) => {
  const { partnerId, integrationId } = await service.partner({ mode: 'LIVE' });
  const fields = { integrationId, mode: 'LIVE', scopes: ['events:write'] };
  const proposed = await ada.post(`/partners/${partnerId}/credentials`, fields);
  t.is(proposed.status, 202);
  const approved = await approve(bob, proposed.body.proposal);
  t.is(approved.headers.get('cache-control'), 'no-store');
  t.is(approved.body.result.secret, null);
  for (const { text } of [proposed, approved]) t.notRegex(text, /sk_live_/);
  const { credential, secretId } = approved.body.result;
  const { credentialId } = credential;
  const show = () =>
    execute({ ...service, now: Date.now }, showSecret, ownerOf(partnerId), {
      credentialId,
      secretId,
    });
  t.regex((await show()).secret ?? '', /^sk_live_/);
  await t.throwsAsync(show, { code: 'CONFLICT' });
});
