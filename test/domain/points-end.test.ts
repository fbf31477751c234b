import test from 'ava';
import { type CustomerBalance, Draft, type Read, readOf } from '../../domain/draft.ts';
import {
  begin,
  claim,
  recordDecision,
  recordTopUp,
  refund,
  type Terms,
} from '../../domain/facts.ts';
import { dueEnd, type Ending, endingOf, endOfPoints } from '../../domain/points-end.ts';
import {
  endPointsOf,
  forgetEnd,
  noteEndTold,
  setPointsEnd,
} from '../../domain/points-end-facts.ts';
import type { WalletRef } from '../../domain/postings.ts';
import { act, holdingsIn, recordRedemption } from '../../domain/redemption-facts.ts';
import { aRedemption, noLimits } from '../helpers/a-redemption.ts';
import { aReward } from '../helpers/a-reward.ts';
import { aWallet, nothingStored } from '../helpers/read.ts';

const partnerId = 'ptr_1';
const customerId = 'cus_1';
const wallet: WalletRef = { partnerId, mode: 'LIVE' };
const onDay = (day: number) => new Date(Date.parse('2026-03-10T09:00:00.000Z') + day * 86_400_000);
const termsOn = (day: number): Terms => ({
  at: onDay(day),
  lowBalanceThresholdCents: 0,
  subscription: null,
});
const newest = { rewardId: 'r9', externalOrderId: 'order-9', integrationId: 'int_1' };
/** Days from an activity until points end after 12 months: 2026-03-10 to 2027-03-10. */
const year = 365;

/** A partner with funds, and one customer. Each step is a commit on a day. */
function aPartner() {
  let read: Read = readOf({ ...nothingStored(), partnerId, wallet: aWallet(wallet) });
  const webhooks: Draft['webhooks'] = [];
  const entries: Draft['entries'] = [];
  function on<Outcome>(day: number, fact: (draft: Draft, terms: Terms) => Outcome): Outcome {
    const draft = new Draft(read);
    const outcome = draft.decide((layer) => fact(layer, termsOn(day)));
    read = { ...read, ...draft, queue: [] };
    webhooks.push(...draft.webhooks);
    entries.push(...draft.entries);
    return outcome;
  }
  const rewardIn = (draft: Draft, id: string) => {
    const reward = draft.rewards.get(id);
    if (!reward) throw new Error(`there is no ${id}`);
    return reward;
  };
  on(0, (draft, terms) =>
    recordTopUp(draft, wallet, { amountCents: 10_000, externalReference: 'wire' }, terms),
  );
  return {
    webhooks,
    entries,
    on,
    set: (day: number, after: 'P12M' | 'P24M' | null, settingId = `pte_${day}`) =>
      on(day, (draft, { at }) => setPointsEnd(draft, { settingId, after, mode: 'LIVE' }, { at })),
    /** A reward of 100 points that cost 100 cents, claimed. */
    claim: (day: number, id: string, points = 100, cents = points) =>
      on(day, (draft, terms) => {
        const made = aReward(wallet, { id, points, cents });
        const claimExpiresAt = new Date(terms.at.getTime() + 1);
        claim(draft, begin(draft, { ...made, claimExpiresAt }, terms), terms, undefined);
      }),
    /** @param isHeld whether it is held at a checkout */
    redeem: (day: number, id: string, points: number, isHeld = false) =>
      on(day, (draft, terms) => {
        const of = { partnerId, customerId, _id: id, externalRedemptionId: id };
        recordRedemption(draft, aRedemption({ ...of, asked: { points }, isHeld }), terms, noLimits);
      }),
    act: (day: number, id: string, action: 'CAPTURE' | 'RELEASE' | 'REVERSE', points?: number) =>
      on(day, (draft, terms) => {
        const found = draft.redemptions.get(id);
        if (!found) throw new Error(`there is no ${id}`);
        act(draft, found, action, terms, points === undefined ? undefined : { points });
      }),
    refund: (day: number, id: string) =>
      on(day, (draft, terms) => {
        const review = { reviewId: `rev_${id}`, openedAt: '', dueMs: 1 };
        refund(draft, rewardIn(draft, id), terms, { refundEventId: `evt_${id}`, review });
      }),
    uphold: (day: number, id: string) =>
      on(day, (draft, terms) =>
        recordDecision(draft, rewardIn(draft, id), terms, {
          reviewId: `rev_${id}`,
          verdict: 'UPHOLD',
        }),
      ),
    tell: (day: number, nth: number, endsAt: Date) =>
      on(day, (draft, terms) => noteEndTold(draft, { customerId, newest }, { nth, endsAt }, terms)),
    end: (day: number, isEarly = false) =>
      on(day, (draft, terms) => endPointsOf(draft, { customerId, newest, isEarly }, terms)),
    spendable: () => on(0, (draft) => holdingsIn(draft, customerId)),
    customer(): CustomerBalance {
      const found = read.customers.get(customerId);
      if (!found) throw new Error('the customer holds nothing');
      return found;
    },
    ending(): Ending {
      const { ending } = this.customer();
      if (!ending) throw new Error('nothing of the customer ends');
      return ending;
    },
    setting: () => read.wallet?.pointsEnd ?? null,
    funding: () => read.wallet?.balances.funding ?? 0,
    balances: () => read.wallet?.balances ?? {},
  };
}
type Partner = ReturnType<typeof aPartner>;

/** Both notices are given, and the points end a year after an activity. @returns the points that ended */
function endAYearAfter(partner: Partner, day: number): number {
  const endsAt = onDay(day + year);
  partner.tell(day + year - 30, 0, endsAt);
  partner.tell(day + year - 7, 1, endsAt);
  return partner.end(day + year);
}

test('without a setting, nothing of a customer is changed', (t) => {
  const partner = aPartner();
  partner.claim(1, 'r1');
  partner.redeem(2, 'red_1', 10);
  t.is(partner.customer().ending, undefined);
  t.is(endAYearAfter(partner, 2), 0);
  t.is(partner.customer().points, 90);
});

test('points end a year after the newest activity, and their money goes back to the partner', (t) => {
  const partner = aPartner();
  partner.set(0, 'P12M');
  partner.claim(1, 'r1');
  partner.claim(5, 'r2', 50, 20);
  const funding = partner.funding();
  t.like(partner.ending(), { endsAt: onDay(5 + year), nextAt: onDay(5 + year - 30), told: 0 });
  t.is(endAYearAfter(partner, 5), 150);
  t.like(partner.customer(), { points: 0, payableCents: 0, endedPoints: 150, endedCents: 120 });
  t.is(partner.funding(), funding + 120);
  t.like(partner.entries.at(-1), {
    kind: 'POINTS_END',
    reference: `end:cus_1:${onDay(5 + year).toISOString()}`,
  });
  t.is(partner.end(5 + year + 1), 0, 'once');
  t.is(partner.ending().nextAt, null);
});

test('what a customer had before the setting never ends, and what can end is spent first', (t) => {
  const partner = aPartner();
  partner.claim(1, 'r1', 100);
  partner.set(10, 'P12M');
  partner.claim(11, 'r2', 60);
  t.like(partner.ending(), { kept: 100, keptAtMost: 100 });
  partner.redeem(12, 'red_1', 40);
  t.is(partner.ending().kept, 100);
  t.deepEqual(endingOf(partner.customer()), { points: 20, cents: 20 });
  t.is(endAYearAfter(partner, 12), 20);
  t.is(partner.customer().points, 100);
  partner.redeem(400, 'red_2', 30);
  t.is(partner.ending().kept, 70);
  t.deepEqual(endingOf(partner.customer()), { points: 0, cents: 0 });
});

test('points that come back from before the setting never end, and no more than there were then', (t) => {
  const partner = aPartner();
  partner.claim(1, 'r1', 100);
  partner.redeem(2, 'red_1', 40);
  partner.set(10, 'P12M');
  partner.claim(11, 'r2', 50);
  partner.redeem(12, 'red_2', 80);
  t.like(partner.ending(), { kept: 30, keptAtMost: 60 });
  partner.act(13, 'red_2', 'REVERSE', 10);
  t.like(partner.ending(), { kept: 40, keptAtMost: 60 });
  partner.act(13, 'red_2', 'REVERSE');
  t.like(partner.ending(), { kept: 60, keptAtMost: 60 });
  partner.act(14, 'red_1', 'REVERSE');
  t.like(partner.ending(), { kept: 100, keptAtMost: 100 });
  t.is(endAYearAfter(partner, 14), 50);
});

test('what is held at a checkout does not end', (t) => {
  const partner = aPartner();
  partner.set(0, 'P12M');
  partner.claim(1, 'r1', 100);
  partner.redeem(2, 'red_1', 30, true);
  t.is(endAYearAfter(partner, 2), 70);
  t.like(partner.customer(), { points: 0, heldPoints: 30 });
  partner.act(2 + year, 'red_1', 'RELEASE');
  t.like(partner.customer(), { points: 30, payableCents: 30 });
});

test('a changed setting, or none, leaves all that a customer has', (t) => {
  for (const after of ['P24M', null] as const) {
    const partner = aPartner();
    partner.set(0, 'P12M');
    partner.claim(1, 'r1', 100);
    partner.set(20, after);
    t.is(endOfPoints(partner.setting(), partner.customer()), null);
    t.is(dueEnd(partner.setting(), partner.customer(), onDay(1 + year)).do, 'FORGET');
    partner.on(1 + year, (draft, terms) => forgetEnd(draft, customerId, terms));
    t.is(partner.ending().nextAt, null);
    partner.claim(2 + year, 'r2', 10);
    const kept = after === null ? 0 : 100;
    t.is(partner.ending().kept, kept);
    t.is(partner.customer().points, 110);
  }
});

test('the same setting again changes nothing', (t) => {
  const partner = aPartner();
  const first = partner.set(0, 'P12M', 'pte_1');
  t.deepEqual(partner.set(5, 'P12M', 'pte_2'), first);
  t.is(partner.set(6, null, 'pte_3'), null);
  t.is(partner.set(7, null, 'pte_4'), null);
});

test('a customer is told 30 and 7 days before, and a late notice moves the end', (t) => {
  const balance = (ending: Partial<Ending>): CustomerBalance => ({
    ...{ _id: 'c', partnerId, mode: 'LIVE', customerId, payableCents: 90, points: 90 },
    ...{ heldCents: 0, heldPoints: 0, writtenOffCents: 0, writtenOffPoints: 0 },
    ending: {
      ...{ settingId: 'pte_1', fromSeq: 1, kept: 0, keptAtMost: 0, activeAt: onDay(0) },
      ...{ endsAt: onDay(365), nextAt: onDay(335), told: 0 },
      ...ending,
    },
  });
  const setting = { settingId: 'pte_1', after: 'P12M', since: onDay(-1) } as const;
  const due = (day: number, ending: Partial<Ending> = {}, isEarly = false) =>
    dueEnd(setting, balance(ending), onDay(day), isEarly);
  t.deepEqual(due(334), { do: 'NOTHING' });
  t.deepEqual(due(335), { do: 'TELL', nth: 0, days: 30, endsAt: onDay(365) });
  t.deepEqual(due(400), { do: 'TELL', nth: 0, days: 30, endsAt: onDay(430) });
  const told = { told: 1, nextAt: onDay(358) };
  t.deepEqual(due(357, told), { do: 'NOTHING' });
  t.deepEqual(due(358, told), { do: 'TELL', nth: 1, days: 7, endsAt: onDay(365) });
  t.deepEqual(due(380, told), { do: 'TELL', nth: 1, days: 7, endsAt: onDay(387) });
  t.deepEqual(due(366, { told: 2, nextAt: onDay(365) }), { do: 'END' });
  t.deepEqual(due(10, {}, true), { do: 'TELL', nth: 0, days: 30, endsAt: onDay(40) });
  t.deepEqual(due(400, { kept: 90 }), { do: 'FORGET' });
  t.deepEqual(due(400, { settingId: 'pte_0' }), { do: 'FORGET' });
  t.deepEqual(due(400, { nextAt: null }, true), { do: 'NOTHING' });
  t.deepEqual(dueEnd(null, balance({}), onDay(400)), { do: 'FORGET' });
});

test('a notice counts once, and not for one who was active meanwhile', (t) => {
  const partner = aPartner();
  partner.set(0, 'P12M');
  partner.claim(1, 'r1');
  const endsAt = onDay(1 + year);
  t.false(partner.tell(1, 0, endsAt), 'too soon');
  t.true(partner.tell(1 + year - 30, 0, endsAt));
  t.false(partner.tell(1 + year - 30, 0, endsAt), 'again');
  t.is(partner.end(1 + year), 0, 'not before the other notice');
  partner.redeem(1 + year - 8, 'red_1', 1);
  t.false(partner.tell(1 + year - 7, 1, endsAt));
  t.is(partner.end(1 + year), 0);
  t.is(partner.ending().told, 0);
  const told = partner.webhooks.filter(({ type }) => type === 'points.ending');
  t.is(told.length, 1);
  t.like(told[0], {
    partnerId,
    mode: 'LIVE',
    data: { customerId, ...newest, points: 100, liabilityCents: 100, days: 30 },
  });
});

test('the end is announced with what is left', (t) => {
  const partner = aPartner();
  partner.claim(0, 'r1', 30);
  partner.set(1, 'P12M');
  partner.claim(2, 'r2', 100);
  endAYearAfter(partner, 2);
  t.like(partner.webhooks.find(({ type }) => type === 'points.ended')?.data, {
    customerId,
    ...newest,
    points: 100,
    liabilityCents: 100,
    leftPoints: 30,
  });
});

test('a refund of a reward whose points ended takes and writes off nothing', (t) => {
  const partner = aPartner();
  partner.set(0, 'P12M');
  partner.claim(1, 'r1', 100);
  endAYearAfter(partner, 1);
  partner.claim(400, 'r2', 70);
  const funding = partner.funding();
  partner.refund(401, 'r1');
  t.deepEqual(partner.spendable(), { points: 70, owedCents: 70 });
  partner.uphold(402, 'r1');
  t.like(partner.entries.at(-1), { kind: 'CLAWBACK', reference: 'clawback:r1' });
  t.like(partner.customer(), {
    ...{ points: 70, payableCents: 70, endedPoints: 0, endedCents: 0 },
    ...{ writtenOffPoints: 0, writtenOffCents: 0 },
  });
  t.is(partner.funding(), funding);
});

test('a refund of a reward that was claimed after the end takes its points back', (t) => {
  const partner = aPartner();
  partner.set(0, 'P12M');
  partner.claim(1, 'r1', 100);
  endAYearAfter(partner, 1);
  partner.claim(400, 'r2', 70);
  const funding = partner.funding();
  partner.refund(401, 'r2');
  t.deepEqual(partner.spendable(), { points: 0, owedCents: 0 });
  partner.uphold(402, 'r2');
  t.like(partner.customer(), { points: 0, payableCents: 0, endedPoints: 100, endedCents: 100 });
  t.is(partner.funding(), funding + 70);
});

test('of a reward of which a part was spent before the rest ended, only what was spent is written off', (t) => {
  const partner = aPartner();
  partner.set(0, 'P12M');
  partner.claim(1, 'r1', 100);
  partner.redeem(2, 'red_1', 40);
  t.is(endAYearAfter(partner, 2), 60);
  partner.refund(401, 'r1');
  partner.uphold(402, 'r1');
  t.like(partner.entries.at(-1), { kind: 'WRITE_OFF' });
  t.like(partner.customer(), {
    ...{ points: 0, endedPoints: 0, endedCents: 0 },
    ...{ writtenOffPoints: 40, writtenOffCents: 40 },
  });
  t.is(partner.balances().redeemed, 0);
});

test('ended points of two rewards are meant once by the refund of each', (t) => {
  const partner = aPartner();
  partner.set(0, 'P12M');
  partner.claim(1, 'r1', 100);
  partner.claim(2, 'r2', 100, 300);
  t.is(endAYearAfter(partner, 2), 200);
  for (const [day, id] of [
    [400, 'r1'],
    [410, 'r2'],
  ] as const) {
    partner.refund(day, id);
    partner.uphold(day + 1, id);
  }
  t.like(partner.customer(), {
    ...{ points: 0, payableCents: 0, endedPoints: 0, endedCents: 0 },
    ...{ writtenOffPoints: 0, writtenOffCents: 0 },
  });
  t.is(partner.funding(), 10_000);
  t.is(partner.balances().ended, 0);
});
