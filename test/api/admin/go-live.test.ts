import test from 'ava';
import { goLive, profileOf } from '../../../dev/go-live.ts';
import { approveGoLive } from '../../../operations/go-live/approve.ts';
import { operate } from '../../helpers/operate.ts';

import { aPurchase, PartnerBackend } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { auditOf, Operator } from './helpers/operator.ts';

let service: Service;
let ada: Operator;
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

const rule = { currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 };

/** A partner with everything but TEST events, all of it made by an operator. */
async function prepared() {
  const { partnerId, integrationId } = await ada.setUp(profileOf('Corner Shop'));
  const path = `/partners/${partnerId}`;
  for (const mode of ['TEST', 'LIVE']) {
    const { body } = await ada.post(`${path}/earning-rules`, { ...rule, mode });
    await ada.post(`/earning-rules/${body.ruleId}/activate`);
  }
  await ada.post(`${path}/top-ups`, {
    amountCents: 10_000,
    currency: 'USD',
    externalReference: 'wire 1',
  });
  return { partnerId, integrationId, path };
}
type Prepared = Awaited<ReturnType<typeof prepared>>;

const makeKey = ({ path, integrationId }: Prepared, mode: 'TEST' | 'LIVE') =>
  ada.post(`${path}/credentials`, { integrationId, mode, scopes: ['events:write'] });

async function shopOf(of: Prepared, mode: 'TEST' | 'LIVE'): Promise<PartnerBackend> {
  const { body } = await makeKey(of, mode);
  const { partnerId, integrationId } = of;
  const backend = new PartnerBackend({
    ...{ baseUrl: service.baseUrl, partnerId, integrationId, mode, scopes: ['events:write'] },
  });
  return backend.changed({ key: body.credential.apiKey, secret: body.secret });
}

/** One that has sent a TEST purchase and its refund too. */
async function ready() {
  const of = await prepared();
  const shop = await shopOf(of, 'TEST');
  const purchase = aPurchase();
  const { externalOrderId } = purchase;
  const events = [await shop.purchase(purchase), await shop.refund({ externalOrderId })];
  const failed = events.find(({ status }) => status !== 201);
  if (failed) throw new Error(failed.text);
  return of;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
const unmet = (body: any): string[] =>
  body.items.flatMap((item: { met: boolean; requirement: string }) =>
    item.met ? [] : [item.requirement],
  );

test('the checklist is computed from what is stored, and grows with it', async (t) => {
  const { partnerId, integrationId } = await ada.setUp();
  const look = async () => (await ada.get(`/partners/${partnerId}/go-live`)).body;
  t.like(await look(), { partnerId, state: 'SANDBOX', ready: false, reason: null });
  t.deepEqual(unmet(await look()), [
    ...['PROFILE', 'EARNING_RULE', 'FUNDING', 'TEST_PURCHASE', 'TEST_REFUND', 'APPROVAL'],
  ]);
  const path = `/partners/${partnerId}`;
  await ada.patch(path, profileOf('Corner Shop'));
  const made = await ada.post(`${path}/earning-rules`, { ...rule, mode: 'LIVE' });
  t.true(unmet(await look()).includes('EARNING_RULE'), 'a rule that is not active does not count');
  await ada.post(`/earning-rules/${made.body.ruleId}/activate`);
  const paid = await ada.post(`${path}/top-ups`, {
    amountCents: 9_999,
    currency: 'USD',
    externalReference: 'a',
  });
  t.deepEqual(unmet(await look()), ['FUNDING', 'TEST_PURCHASE', 'TEST_REFUND', 'APPROVAL']);
  await ada.patch(path, { goLiveMinimumFundingCents: 9_999 });
  const { items } = await look();
  t.deepEqual(
    items.slice(1, 4).map(({ evidence }: { evidence: string[] }) => evidence),
    [[made.body.ruleId], [paid.body.transaction.transactionId], [integrationId]],
  );
});

test('TEST evidence is a purchase and its refund that really happened', async (t) => {
  const of = await prepared();
  const look = async () => (await ada.get(`${of.path}/go-live`)).body;
  t.deepEqual(unmet(await look()), ['TEST_PURCHASE', 'TEST_REFUND', 'APPROVAL']);
  const shop = await shopOf(of, 'TEST');
  const purchase = aPurchase();
  await shop.purchase(aPurchase({ order: { subtotalCents: -1 } }));
  t.true(unmet(await look()).includes('TEST_PURCHASE'), 'a refused purchase is none');
  const bought = await shop.purchase(purchase);
  t.deepEqual(unmet(await look()), ['TEST_REFUND', 'APPROVAL']);
  await shop.purchase(aPurchase());
  const refund = await shop.refund({ externalOrderId: purchase.externalOrderId });
  const { items, ready: isReady } = await look();
  t.true(isReady);
  t.deepEqual(
    items.slice(4, 6).map(({ evidence }: { evidence: string[] }) => evidence),
    [[bought.body.eventId], [refund.body.eventId]],
  );
});

test('a request names what is missing, and changes nothing', async (t) => {
  const { path } = await prepared();
  const refused = await ada.post(`${path}/go-live/request`);
  t.is(refused.status, 409);
  t.regex(refused.body.error.message, /Send a signed TEST purchase\. Send a signed TEST refund/);
  const [entry] = await auditOf(service, refused);
  t.like(entry, { action: 'partner.request-go-live', status: 'FAILED' });
  t.is((await ada.get(`${path}/go-live`)).body.state, 'SANDBOX');
});

test('a partner becomes live through a request and its approval alone, and gets LIVE credentials then', async (t) => {
  const of = await ready();
  const { partnerId, path } = of;
  const key = () => makeKey(of, 'LIVE');
  const noKey = async (when: string) => {
    const refused = await key();
    t.is(refused.status, 409, when);
    t.regex(refused.body.error.message, /not live/, when);
  };
  await noKey('ready');
  t.is((await ada.post(`${path}/go-live/approval`)).status, 409);
  t.is((await ada.post(`${path}/go-live/return`, { reason: 'x' })).status, 409);

  const requested = await ada.post(`${path}/go-live/request`);
  t.is(requested.status, 200);
  t.like(requested.body, { state: 'IN_REVIEW', ready: true, reviewerId: null });
  await noKey('in review');

  const returned = await ada.post(`${path}/go-live/return`, { reason: 'Which shop is this?' });
  t.like(returned.body, { state: 'CHANGES_REQUESTED', reason: 'Which shop is this?' });
  await noKey('returned');
  t.is((await ada.post(`${path}/go-live/approval`)).status, 409);

  t.like((await ada.post(`${path}/go-live/request`)).body, { state: 'IN_REVIEW', reason: null });
  const approved = await ada.post(`${path}/go-live/approval`);
  t.like(approved.body, { state: 'LIVE', ready: true });
  t.deepEqual(unmet(approved.body), []);
  t.deepEqual(approved.body.items.at(-1).evidence, [approved.body.reviewerId]);
  t.is((await (await shopOf(of, 'LIVE')).purchase()).status, 201);
  t.is((await ada.post(`${path}/go-live/request`)).status, 409);

  const done = { targetId: partnerId, status: 'DONE' } as const;
  const entries = await service.models.auditEntries.find(done).sort({ _id: 1 }).lean();
  t.deepEqual(
    entries.map(({ action }) => action).filter((action) => action.endsWith('go-live')),
    [
      'partner.request-go-live',
      'partner.return-go-live',
      'partner.request-go-live',
      'partner.approve-go-live',
    ],
  );
});

test('an approval asks again for everything: what was there at the request may be gone', async (t) => {
  const { path } = await ready();
  await ada.post(`${path}/go-live/request`);
  await ada.patch(path, { website: null });
  const refused = await ada.post(`${path}/go-live/approval`);
  t.is(refused.status, 409);
  t.regex(refused.body.error.message, /Fill in website/);
  t.is((await ada.get(`${path}/go-live`)).body.state, 'IN_REVIEW');
});

test('a suspended partner neither requests nor is approved', async (t) => {
  const { path } = await ready();
  await ada.patch(path, { status: 'SUSPENDED' });
  t.regex((await ada.post(`${path}/go-live/request`)).body.error.message, /is suspended/);
  await ada.patch(path, { status: 'ACTIVE' });
  await ada.post(`${path}/go-live/request`);
  await ada.patch(path, { status: 'SUSPENDED' });
  t.regex((await ada.post(`${path}/go-live/approval`)).body.error.message, /is suspended/);
});

test('of an approval and a return at once one counts', async (t) => {
  const { path } = await ready();
  await ada.post(`${path}/go-live/request`);
  const replies = await Promise.all([
    ada.post(`${path}/go-live/approval`),
    ada.post(`${path}/go-live/return`, { reason: 'x' }),
  ]);
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409]);
  const [winner] = replies.filter(({ status }) => status === 200);
  t.is((await ada.get(`${path}/go-live`)).body.state, winner?.body.state);
});

test('a partner that is not there has no checklist', async (t) => {
  t.is((await ada.get('/partners/prt_none/go-live')).status, 404);
  for (const move of ['request', 'approval']) {
    t.is((await ada.post(`/partners/prt_none/go-live/${move}`)).status, 404);
  }
});

test('the commands are the whole of it: no HTTP is needed, and an approval may be repeated by whoever made it', async (t) => {
  const { partnerId } = await ready();
  const deps = { models: service.models, ledger: service.ledger, now: Date.now };
  await goLive(deps, partnerId);
  const { goLive: after } = await service.models.partners.findById(partnerId).lean().orFail();
  t.deepEqual((await operate(deps, approveGoLive, { partnerId })).goLive, after);
  await t.throwsAsync(operate(deps, approveGoLive, { partnerId }, { as: 'opr_2' }), {
    code: 'CONFLICT',
  });
  t.like(after, { state: 'LIVE', reviewerId: 'system' });
});
