import test from 'ava';
import { Draft, readOf } from '../../domain/draft.ts';
import { begin, claim, expire, type Terms } from '../../domain/facts.ts';
import type { Reward } from '../../domain/reward.ts';
import { aReward } from '../helpers/a-reward.ts';
import { aWallet, nothingStored } from '../helpers/read.ts';

const partnerId = 'prt_1';
const wallet = { mode: 'TEST', partnerId } as const;
const made = aReward(wallet, { id: 'PNR_1' });

/** A time relative to the end of the reward's claim window. */
const fromItsEnd = (ms: number): Terms => ({
  at: new Date(made.claimExpiresAt.getTime() + ms),
  lowBalanceThresholdCents: 0,
  subscription: null,
});

/** Decides a fact on a funded, unclaimed reward. @returns the reward afterwards */
function decided(fact: (draft: Draft, reward: Reward) => Reward): Reward {
  const draft = new Draft(readOf({ ...nothingStored(), partnerId, wallet: aWallet(wallet) }));
  const reward = draft.decide((copy) => begin(copy, made, fromItsEnd(-86_400_000)));
  return draft.decide((copy) => fact(copy, reward));
}

test('a claim at the end of the window or later changes nothing, even before the reward expires', (t) => {
  for (const late of [0, 1, 86_400_000]) {
    const { state, version } = decided((draft, reward) =>
      claim(draft, reward, fromItsEnd(late), undefined),
    );
    t.deepEqual([state, version], ['FUNDED', 1], `${late} ms after the end`);
  }
});

test('a claim in the last millisecond of the window counts', (t) => {
  const { state } = decided((draft, reward) => claim(draft, reward, fromItsEnd(-1), undefined));
  t.is(state, 'AVAILABLE');
});

test('a reward expires at the end of its window and not before, unless the TEST clock ends it', (t) => {
  const stateAt = (ms: number, isEndedEarly = false) =>
    decided((draft, reward) => expire(draft, reward, fromItsEnd(ms), isEndedEarly)).state;
  t.is(stateAt(-1), 'FUNDED');
  t.is(stateAt(0), 'EXPIRED');
  t.is(stateAt(-1, true), 'EXPIRED');
});
