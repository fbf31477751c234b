import test from 'ava';
import { profileOf } from '../../dev/go-live.ts';
import { goLiveChecklist, type Requirement } from '../../domain/go-live.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { OperatorActor } from '../../operations/actor.ts';
import { createCredential } from '../../operations/credentials.ts';
import { activateRule, createRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { approveGoLive, requestGoLive, returnGoLive } from '../../operations/go-live.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { createPartner, invitePartner, updatePartner } from '../../operations/partners.ts';
import { topUpWallet } from '../../operations/wallets.ts';
import { readGoLiveEvidence } from '../../views/go-live.ts';
import { operate } from '../helpers/operate.ts';
import { openWorkplace, type Workplace } from './helpers/workplace.ts';

let work: Workplace;
let ada: OperatorActor;
let bob: OperatorActor;
test.before(async () => {
  work = await openWorkplace({ FOUR_EYES: 'on' });
  [ada, bob] = await Promise.all([work.operator(), work.operator()]);
});
test.after.always(() => work?.close());

const conflict = (message: RegExp) => ({ code: 'CONFLICT', message });
const goLiveOf = async (partnerId: string) => (await findPartner(work.models, partnerId)).goLive;

async function checklistOf(partnerId: string) {
  const partner = await findPartner(work.models, partnerId);
  const { items, isReady } = goLiveChecklist(await readGoLiveEvidence(work.deps, partner));
  return {
    isReady,
    unmet: items.flatMap(({ requirement, isMet }) => (isMet ? [] : [requirement])),
    evidenceOf: (wanted: Requirement) =>
      items.find(({ requirement }) => requirement === wanted)?.evidence,
  };
}

async function activeRule(partnerId: string): Promise<string> {
  const fields = { mode: 'LIVE', currency: 'USD', kind: 'FIXED', points: 10 } as const;
  const { _id: ruleId } = await operate(work.deps, createRule, { partnerId, ...fields });
  await operate(work.deps, activateRule, { ruleId });
  return ruleId;
}

const pay = (partnerId: string, amountCents: number) =>
  topUpWallet(work.deps, { mode: 'LIVE', partnerId }, { amountCents, externalReference: 'wire' });

/** A partner that meets all requirements for a go-live request. */
async function ready(): Promise<string> {
  const { deps } = work;
  const { _id: partnerId } = await operate(deps, createPartner, profileOf('Corner Shop'));
  await activeRule(partnerId);
  await pay(partnerId, 10_000);
  await work.town.reviewed({ partnerId, mode: 'TEST' });
  return partnerId;
}

async function requested(): Promise<string> {
  const partnerId = await ready();
  await operate(work.deps, requestGoLive, { partnerId });
  return partnerId;
}

const approveAlone = (partnerId: string) => operate(work.deps, approveGoLive, { partnerId });

test('the checklist is computed from stored data, and follows it', async (t) => {
  const { deps, models } = work;
  const { _id: partnerId } = await operate(deps, createPartner, { name: 'Corner Shop' });
  const unmet = async () => (await checklistOf(partnerId)).unmet;
  const all: Requirement[] = [
    ...(['PROFILE', 'EARNING_RULE', 'FUNDING', 'INTEGRATION'] as const),
    ...(['TEST_PURCHASE', 'TEST_REFUND', 'APPROVAL'] as const),
  ];
  t.deepEqual(await unmet(), all);
  await operate(deps, updatePartner, { partnerId, ...profileOf('Corner Shop') });
  t.deepEqual(await unmet(), all.slice(1));
  const draft = { mode: 'LIVE', currency: 'USD', kind: 'FIXED', points: 5 } as const;
  await operate(deps, createRule, { partnerId, ...draft });
  t.deepEqual(await unmet(), all.slice(1), 'an inactive rule does not count');
  const ruleId = await activeRule(partnerId);
  const { _id: integrationId } = await operate(deps, createIntegration, { partnerId, name: 'x' });
  const { entry } = await pay(partnerId, 9_999);
  t.deepEqual(await unmet(), ['FUNDING', 'TEST_PURCHASE', 'TEST_REFUND', 'APPROVAL']);
  // What is left after a LIVE reward of 4.99.
  await operate(deps, updatePartner, { partnerId, goLiveMinimumFundingCents: 9_500 });

  await work.town.reviewed({ partnerId, mode: 'LIVE' });
  t.deepEqual(
    await unmet(),
    ['TEST_PURCHASE', 'TEST_REFUND', 'APPROVAL'],
    'LIVE events are no evidence',
  );
  const { purchase, refund } = await work.town.reviewed({ partnerId, mode: 'TEST' });
  const { isReady, evidenceOf } = await checklistOf(partnerId);
  t.true(isReady);
  t.deepEqual(evidenceOf('EARNING_RULE'), [ruleId]);
  t.deepEqual(evidenceOf('FUNDING'), [entry._id]);
  t.true(evidenceOf('INTEGRATION')?.includes(integrationId));
  t.deepEqual(evidenceOf('TEST_PURCHASE'), [purchase._id]);
  t.deepEqual(evidenceOf('TEST_REFUND'), [refund._id]);
  await models.orderEvents.deleteOne({ partnerId, _id: refund._id });
  t.deepEqual(await unmet(), ['TEST_REFUND', 'APPROVAL']);
});

test('a partner requests go-live, is sent back, requests again and is LIVE; until then it has no LIVE key', async (t) => {
  const { deps, models } = work;
  const partnerId = await ready();
  const [integration] = await models.integrations.find({ partnerId });
  const makeKey = () =>
    operate(deps, createCredential, {
      partnerId,
      integrationId: integration?._id ?? '',
      mode: 'LIVE',
      scopes: ['events:write'],
    });
  const ask = () => execute(deps, requestGoLive, ada, { partnerId });
  const sendBack = () => execute(deps, returnGoLive, ada, { partnerId, reason: 'Which shop?' });

  for (const early of [sendBack, () => approveAlone(partnerId)]) {
    await t.throwsAsync(early(), conflict(/it must be IN_REVIEW/));
  }
  t.like((await ask()).goLive, { state: 'IN_REVIEW', reviewerId: null });
  await t.throwsAsync(ask(), conflict(/is IN_REVIEW/));
  await t.throwsAsync(makeKey(), conflict(/not live/));
  const returned = (await sendBack()).goLive;
  t.like(returned, { state: 'CHANGES_REQUESTED', reviewerId: ada.id, reason: 'Which shop?' });
  await t.throwsAsync(makeKey(), conflict(/not live/));
  await t.throwsAsync(approveAlone(partnerId), conflict(/CHANGES_REQUESTED/));

  t.like((await ask()).goLive, { state: 'IN_REVIEW', reviewerId: null, reason: null });
  const live = (await approveAlone(partnerId)).goLive;
  t.like(live, { state: 'LIVE', reviewerId: 'system', reason: null });
  t.deepEqual((await checklistOf(partnerId)).evidenceOf('APPROVAL'), ['system']);
  await t.notThrowsAsync(makeKey());
  await t.throwsAsync(ask(), conflict(/is LIVE/));
  t.deepEqual((await approveAlone(partnerId)).goLive, live, 'a repeat changes nothing');
  await t.throwsAsync(
    operate(deps, approveGoLive, { partnerId }, { as: 'opr_2' }),
    conflict(/is LIVE/),
  );

  const operations = await models.auditEntries
    .find({ targetId: partnerId, status: 'DONE', action: /go-live$/ })
    .sort({ _id: 1 });
  t.deepEqual(
    operations.map(({ action }) => action),
    ['partner.request-go-live', 'partner.return-go-live', 'partner.request-go-live'],
  );
});

test('both a request and its approval check every item, as one may have been lost meanwhile', async (t) => {
  const { deps } = work;
  const partnerId = await requested();
  await operate(deps, updatePartner, { partnerId, website: null });
  await t.throwsAsync(approveAlone(partnerId), conflict(/Fill in website/));
  t.is((await goLiveOf(partnerId)).state, 'IN_REVIEW');
  const { _id: unready } = await operate(deps, createPartner, profileOf('Half Shop'));
  await t.throwsAsync(
    operate(deps, requestGoLive, { partnerId: unready }),
    conflict(/is not ready.*Top up/),
  );
  t.is((await goLiveOf(unready)).state, 'SANDBOX');
});

test('a suspended partner can neither request go-live nor be approved', async (t) => {
  const partnerId = await ready();
  const set = (status: 'SUSPENDED' | 'ACTIVE') =>
    operate(work.deps, updatePartner, { partnerId, status });
  await set('SUSPENDED');
  await t.throwsAsync(operate(work.deps, requestGoLive, { partnerId }), conflict(/is suspended/));
  await set('ACTIVE');
  await operate(work.deps, requestGoLive, { partnerId });
  await set('SUSPENDED');
  await t.throwsAsync(approveAlone(partnerId), conflict(/is suspended/));
});

test('of a concurrent approval and return, one counts', async (t) => {
  const partnerId = await requested();
  const back = { partnerId, reason: 'x' };
  const [approved, returned] = await Promise.allSettled([
    approveAlone(partnerId),
    operate(work.deps, returnGoLive, back),
  ]);
  t.is([approved, returned].filter(({ status }) => status === 'fulfilled').length, 1);
  const { state } = await goLiveOf(partnerId);
  t.is(state, approved.status === 'fulfilled' ? 'LIVE' : 'CHANGES_REQUESTED');
});

test('a partner goes live only after another operator approves what was shown', async (t) => {
  const { deps, models } = work;
  const partnerId = await requested();
  const propose = () => work.propose(approveGoLive, ada, { partnerId });
  const shown = await propose();
  t.like(shown.shown, { name: 'Corner Shop', fundingCents: 10_000, users: [], invitations: [] });
  t.is((shown.shown.rules as unknown[]).length, 1);
  // A change of any of these facts ends the proposal, such as a new invitation or another name.
  const late = { partnerId, email: 'late@shop.example', role: 'developer' as const };
  await execute(deps, invitePartner, ada, late);
  await t.throwsAsync(work.approve(bob, shown), conflict(/has changed/));
  const renamed = await propose();
  t.like((renamed.shown.invitations as object[])[0], { role: 'developer', invitedBy: ada.id });
  await operate(deps, updatePartner, { partnerId, name: 'Corner Bank' });
  await t.throwsAsync(work.approve(bob, renamed), conflict(/has changed/));

  const proposal = await propose();
  await t.throwsAsync(work.approve(ada, proposal), { code: 'FORBIDDEN' });
  t.is((await goLiveOf(partnerId)).state, 'IN_REVIEW');
  await work.approve(bob, proposal);
  t.like(await goLiveOf(partnerId), { state: 'LIVE', reviewerId: ada.id });
  const [entry] = await models.auditEntries.find({ partnerId, action: 'partner.approve-go-live' });
  t.like(entry, { actorId: ada.id, approvedBy: bob.id, status: 'DONE' });

  // If the response to an approval is lost, it can be repeated.
  await models.proposals.updateOne({ _id: proposal._id }, { $set: { carriedOutAt: null } });
  await t.notThrowsAsync(work.approve(bob, proposal));
  t.is((await goLiveOf(partnerId)).state, 'LIVE');
});
