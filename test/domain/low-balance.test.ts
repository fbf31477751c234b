import test from 'ava';
import { Draft, readOf } from '../../domain/draft.ts';
import { begin, expire, recordTopUp, type Terms } from '../../domain/facts.ts';
import type { WalletRef } from '../../domain/postings.ts';
import { fundingAnnouncements } from '../../domain/reward-webhooks.ts';
import { aReward } from '../helpers/a-reward.ts';
import { aWallet, nothingStored } from '../helpers/read.ts';

const partnerId = 'prt_1';
const live: WalletRef = { mode: 'LIVE', partnerId };
const at = new Date('2026-03-10T09:00:00.000Z');
const terms: Terms = { at, lowBalanceThresholdCents: 300, subscription: null };

const typesOf = (beforeCents: number, afterCents: number) =>
  fundingAnnouncements(partnerId, { beforeCents, afterCents }, 300, { at, cause: 'f' }).map(
    ({ type }) => type,
  );

test('a change that crosses the low-balance threshold is announced, in both directions', (t) => {
  t.deepEqual(typesOf(400, 300), []);
  t.deepEqual(typesOf(300, 299), ['funding.low']);
  t.deepEqual(typesOf(299, 249), []);
  t.deepEqual(typesOf(249, 300), ['funding.recovered']);
  t.deepEqual(typesOf(300, 301), []);
});

const aDraft = (wallet: WalletRef): Draft =>
  new Draft(readOf({ ...nothingStored(), partnerId, wallet: aWallet(wallet) }));

const fundingOf = ({ webhooks }: Draft) =>
  webhooks.flatMap(({ type, data }) =>
    type === 'funding.low' || type === 'funding.recovered' ? [[type, data]] : [],
  );

test('each fact that moves the LIVE funding across the threshold announces it', (t) => {
  const draft = aDraft(live);
  recordTopUp(draft, live, { amountCents: 300, externalReference: 'wire' }, terms);
  const [first, second] = ['PNR_1', 'PNR_2'].map((id) =>
    begin(draft, aReward(live, { id }), terms),
  );
  t.deepEqual(first?.fundingNotice, { missingCents: null, lowBalanceCents: 200 });
  t.is(second?.fundingNotice, null, 'it was low already');
  for (const reward of [first, second]) if (reward) expire(draft, reward, terms, true);
  const thresholdCents = 300;
  t.deepEqual(fundingOf(draft), [
    ['funding.recovered', { balanceCents: 300, thresholdCents }],
    ['funding.low', { balanceCents: 200, thresholdCents }],
    ['funding.recovered', { balanceCents: 300, thresholdCents }],
  ]);
});

test('test funding is never low', (t) => {
  const wallet: WalletRef = { mode: 'TEST', partnerId };
  const draft = aDraft(wallet);
  recordTopUp(draft, wallet, { amountCents: 300, externalReference: 'grant' }, terms);
  const { fundingNotice } = begin(draft, aReward(wallet, { id: 'PNR_1' }), terms);
  t.is(fundingNotice, null);
  t.deepEqual(fundingOf(draft), []);
});
