import test from 'ava';
import type { ServiceError } from '../../domain/errors.ts';
import { maxNotes } from '../../domain/review.ts';
import { destroyKeysOf } from '../../models/store/data-keys.ts';
import type { OperatorActor, UserActor } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import {
  addReviewNote,
  answerReview,
  askPartner,
  assignReview,
  decideReview,
  decideSeveral,
} from '../../operations/reviews.ts';
import { newId } from '../../platform/ids.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import {
  readQuestions,
  readQuestionsOf,
  readReviewNotes,
  readReviewQueue,
} from '../../views/reviews.ts';
import { openWorkplace, type Workplace } from './helpers/workplace.ts';

let work: Workplace;
let ada: OperatorActor;
let bob: OperatorActor;
let partnerId: string;
test.before(async () => {
  work = await openWorkplace({ FOUR_EYES: 'off' });
  [ada, bob] = await Promise.all([
    work.operator('support', 'Ada'),
    work.operator('support', 'Bob'),
  ]);
  ({ partnerId } = await work.partner());
});
test.after.always(() => work?.close());

const reviewed = () =>
  work.town.reviewed({ partnerId, mode: 'TEST' }, { reason: 'Jane sent it back' });
const aReview = async () => (await reviewed()).review;

const uphold = {
  decision: 'UPHOLD',
  reasonCode: 'GOODS_RETURNED',
  reason: 'the parcel came back',
} as const;
const dismiss = { ...uphold, decision: 'DISMISS', reasonCode: 'GOODWILL' } as const;
type Decision = Omit<typeof uphold | typeof dismiss, 'reason'> & { reason?: string };

async function decide(by: OperatorActor, reviewId: string, decision: Decision) {
  const executed = await execute(work.deps, decideReview, by, { reviewId, ...decision });
  if (!executed.isDone) throw new Error('the decision should not need approval');
  return executed.outcome;
}

test('a note is stored encrypted with its author and time, and not in the audit log', async (t) => {
  const { _id: reviewId } = await aReview();
  const note = await execute(work.deps, addReviewNote, ada, {
    reviewId,
    text: 'Jane called twice',
  });
  await execute(work.deps, addReviewNote, bob, { reviewId, text: 'She sent a picture' });
  const review = await work.models.reviews.findById(reviewId).orFail();
  const read = await readReviewNotes(work.deps, review);
  t.deepEqual(read.map(({ author, text }) => [author, text]).toSorted(), [
    ['Ada', 'Jane called twice'],
    ['Bob', 'She sent a picture'],
  ]);
  const entries = await work.models.auditEntries.find({
    action: 'review.add-note',
    targetId: reviewId,
  });
  t.is(entries.length, 2);
  t.like(
    entries.find(({ actorId }) => actorId === ada.id),
    { status: 'DONE', details: { reviewNoteId: note._id } },
  );
  const stored = await work.models.reviewNotes.find({ partnerId, reviewId });
  t.false(JSON.stringify([entries, stored]).includes('Jane'));
});

test('an erased customer’s notes can no longer be read', async (t) => {
  const { review, reward } = await reviewed();
  const { _id: reviewId } = review;
  await execute(work.deps, addReviewNote, ada, { reviewId, text: 'Jane called' });
  const now = new Date();
  await destroyKeysOf(work.models, reward, { upTo: now, erasedAt: now });
  const [note] = await readReviewNotes(work.deps, review);
  t.like(note, { author: 'Ada', text: null });
});

test('a review has a limited number of notes, and none is empty', async (t) => {
  const { _id: reviewId } = await aReview();
  const written = { partnerId, reviewId, authorId: ada.id, sealed: 'x', at: new Date() };
  await work.models.reviewNotes.create(
    Array.from({ length: maxNotes - 2 }, () => ({
      ...written,
      mode: 'TEST' as const,
      kind: 'NOTE' as const,
      _id: newId('reviewNote'),
    })),
  );
  const add = (text: string) => execute(work.deps, addReviewNote, ada, { reviewId, text });
  const added = await Promise.allSettled(Array.from({ length: 6 }, () => add('one more')));
  t.is(added.filter(({ status }) => status === 'fulfilled').length, 2);
  t.is(await work.models.reviewNotes.countDocuments({ partnerId, reviewId }), maxNotes);
  await t.throwsAsync(add('one more'), { code: 'CONFLICT' });
  for (const text of ['', ' ', 'x'.repeat(1_001)]) {
    await t.throwsAsync(add(text), { code: 'VALIDATION_FAILED' });
  }
});

test('the partner answers questions while the review is open, and never sees notes', async (t) => {
  const partner = await work.partner();
  const other = await work.partner();
  const { review } = await work.town.reviewed({ partnerId: partner.partnerId, mode: 'TEST' });
  const { _id: reviewId } = review;
  const dora = aUser(partner.partnerId);
  const answer = (by: UserActor, text: string) =>
    execute(work.deps, answerReview, by, { reviewId, text });
  await execute(work.deps, addReviewNote, ada, { reviewId, text: 'Jane is known to us' });
  await t.throwsAsync(answer(dora, 'unasked'), { code: 'NOT_FOUND' });

  await execute(work.deps, askPartner, ada, { reviewId, text: 'Did Jane send it back?' });
  const scope = scopeOf({ _id: partner.partnerId });
  const asked = await readQuestions(work.deps, scope, 'TEST', {});
  t.deepEqual(
    asked.items.map((one) => [one.review._id, one.isAnswered]),
    [[reviewId, false]],
  );
  t.deepEqual((await readQuestions(work.deps, scope, 'LIVE', {})).items, []);
  await t.throwsAsync(answer(aUser(other.partnerId), 'not mine'), { code: 'NOT_FOUND' });
  await t.throwsAsync(answer({ ...dora, role: 'viewer' }, 'I read'), { code: 'FORBIDDEN' });
  await answer(dora, 'Jane did, on Monday');
  t.true((await readQuestions(work.deps, scope, 'TEST', {})).items[0]?.isAnswered);
  const talk = await readQuestionsOf(work.deps, scope, reviewId);
  t.deepEqual(talk?.notes.map(({ kind, text }) => [kind, text]).toSorted(), [
    ['ANSWER', 'Jane did, on Monday'],
    ['QUESTION', 'Did Jane send it back?'],
  ]);
  t.is(await readQuestionsOf(work.deps, scopeOf({ _id: other.partnerId }), reviewId), null);
  const entries = await work.models.auditEntries.find({
    action: { $in: ['review.ask', 'review.answer'] },
    targetId: reviewId,
    status: 'DONE',
  });
  t.deepEqual(entries.map(({ actorId }) => actorId).toSorted(), [ada.id, dora.id].toSorted());
  t.false(JSON.stringify(entries).includes('Jane'));

  await decide(ada, reviewId, dismiss);
  await t.throwsAsync(answer(dora, 'too late'), { code: 'CONFLICT' });
  const late = execute(work.deps, askPartner, ada, { reviewId, text: 'one more' });
  await t.throwsAsync(late, { code: 'CONFLICT' });
});

test('a bulk decision audits each review separately, and skips decided ones', async (t) => {
  const reviews = await Promise.all([aReview(), aReview(), aReview()]);
  const [one, other, decided] = reviews.map(({ _id }) => _id) as [string, string, string];
  await decide(bob, decided, uphold);
  t.is(await decideSeveral(work.deps, ada, [one, decided, other, one], dismiss), 2);
  for (const reviewId of [one, other]) {
    const [entry, ...more] = await entriesOf(reviewId);
    t.deepEqual(more, []);
    t.like(entry, { status: 'DONE', actorId: ada.id, details: { reasonCode: 'GOODWILL' } });
  }
  const left = await work.models.reviews.findById(decided).orFail();
  t.like(left.decision, { verdict: 'UPHOLD', operatorId: bob.id });
  t.is((await entriesOf(decided)).length, 1);
});

test('an open review can be assigned only by and to operators who can decide it', async (t) => {
  const { _id: reviewId } = await aReview();
  const [fay, val] = await Promise.all([work.operator('finance'), work.operator('viewer')]);
  const assign = (by: OperatorActor, assigneeId: string | null) =>
    execute(work.deps, assignReview, by, { reviewId, assigneeId });
  const queueOf = async (assigneeId: string) =>
    (await readReviewQueue(work.models, { assigneeId }, 100)).map(({ _id }) => _id);
  t.is((await assign(ada, bob.id)).assigneeId, bob.id);
  t.true((await queueOf(bob.id)).includes(reviewId));
  t.is((await assign(ada, ada.id)).assigneeId, ada.id);
  t.false((await queueOf(bob.id)).includes(reviewId));
  const entry = await work.models.auditEntries.findOne({
    action: 'review.assign',
    targetId: reviewId,
    'details.assigneeId': bob.id,
  });
  t.like(entry, { status: 'DONE', actorId: ada.id });
  for (const wrong of [fay.id, val.id, 'opr_none']) {
    await t.throwsAsync(assign(ada, wrong), { code: 'VALIDATION_FAILED' }, wrong);
  }
  await t.throwsAsync(assign(fay, ada.id), { code: 'FORBIDDEN' });
  t.is((await assign(bob, null)).assigneeId, undefined);
  await decide(ada, reviewId, uphold);
  await t.throwsAsync(assign(ada, bob.id), { code: 'CONFLICT' });
});

const aUser = (partnerId: string): UserActor => ({
  kind: 'user',
  id: newId('user'),
  role: 'developer',
  partnerId,
  requestId: newId('request'),
  factor: null,
});

const rewardOf = (rewardId: string) => work.models.rewards.findById(rewardId).orFail();
const entriesOf = (reviewId: string) =>
  work.models.auditEntries.find({ action: 'review.decide', targetId: reviewId });

for (const [decision, state] of [
  [uphold, 'CANCELLED'],
  [dismiss, 'AVAILABLE'],
] as const) {
  const { decision: verdict, reasonCode, reason } = decision;
  test(`after ${verdict} the reward is ${state}; the decider and the reason are kept, the text encrypted`, async (t) => {
    const { _id: reviewId, rewardId } = await aReview();
    const review = await decide(ada, reviewId, decision);
    t.like(review, { status: 'DECIDED', decision: { verdict, reasonCode, operatorId: ada.id } });
    const { sealedReason = '' } = review.decision ?? {};
    t.false(sealedReason.includes(reason));
    const reward = await rewardOf(rewardId);
    t.is(reward.state, state);
    t.like(reward.moves.at(-1), { move: verdict, reviewId });
    const stored = await work.models.reviews.findById(reviewId).orFail();
    const [entry, ...others] = await entriesOf(reviewId);
    t.deepEqual(others, []);
    t.like(entry, { status: 'DONE', details: { decision: verdict, reasonCode } });
    t.false(JSON.stringify([entry, stored]).includes(reason));
  });
}

test('of two concurrent decisions one wins, and the loser learns who decided', async (t) => {
  const { _id: reviewId, rewardId } = await aReview();
  const all = await Promise.allSettled([
    decide(ada, reviewId, uphold),
    decide(bob, reviewId, dismiss),
  ]);
  const [won] = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [lost, ...others] = all.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as ServiceError] : [],
  );
  t.deepEqual(others, []);
  t.is(lost?.code, 'CONFLICT');
  const { verdict = '', operatorId = '', decidedAt = '' } = won?.decision ?? {};
  const name = operatorId === ada.id ? 'Ada' : 'Bob';
  for (const said of [verdict, operatorId, decidedAt, name]) t.true(lost?.message.includes(said));
  t.is((await rewardOf(rewardId)).state, verdict === 'UPHOLD' ? 'CANCELLED' : 'AVAILABLE');
});

test('repeating the same decision is accepted; any other is a conflict', async (t) => {
  const { _id: reviewId } = await aReview();
  const first = await decide(ada, reviewId, uphold);
  t.deepEqual((await decide(ada, reviewId, uphold)).decision, first.decision);
  t.is((await entriesOf(reviewId)).length, 1);
  for (const [by, decision] of [
    [ada, { ...uphold, reason: 'on second thoughts' }],
    [ada, { ...uphold, reasonCode: 'ORDER_CANCELLED' }],
    [ada, dismiss],
    [bob, uphold],
  ] as const) {
    await t.throwsAsync(decide(by, reviewId, decision as Decision), { code: 'CONFLICT' });
  }
});

test('a decision needs a reason from its list, and text where the reason requires it', async (t) => {
  const { _id: reviewId, rewardId } = await aReview();
  for (const wrong of [
    { decision: 'UPHOLD', reason: 'x' },
    { ...uphold, reasonCode: 'GOODWILL' },
    { ...dismiss, reasonCode: 'FRAUD' },
    { decision: 'UPHOLD', reasonCode: 'OTHER' },
    { ...uphold, reason: '' },
    { ...uphold, reason: 'x'.repeat(501) },
    { ...uphold, decision: 'MAYBE' },
  ]) {
    await t.throwsAsync(
      decide(ada, reviewId, wrong as Decision),
      { code: 'VALIDATION_FAILED' },
      JSON.stringify(wrong),
    );
  }
  t.is((await rewardOf(rewardId)).state, 'IN_REVIEW');
  await t.throwsAsync(decide(ada, 'rev_none', uphold), { code: 'NOT_FOUND' });
});
