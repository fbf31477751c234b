import test from 'ava';
import { isClaimLinkDue } from '../../domain/reward.ts';

const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
const reward = {
  ...({ status: 'PENDING' } as const),
  fundedAt: at(1),
  claimExpiresAt: at(31),
};

test('the claim link is sent as soon as the reward is funded', (t) => {
  t.true(isClaimLinkDue(reward, null, Date.parse(at(1))));
  t.true(isClaimLinkDue(reward, null, Date.parse(at(4))));
});

test('the claim link is sent again for a new claim window', (t) => {
  t.true(isClaimLinkDue(reward, at(30), Date.parse(at(1))));
});

const none: [why: string, changes: object, until: string | null][] = [
  ['while the reward waits for funds', { status: 'AWAITING_FUNDING', fundedAt: null }, null],
  ['before the money is reserved', { fundedAt: null }, null],
  ['once the reward is claimed', { status: 'AVAILABLE' }, null],
  ['once the reward is cancelled', { status: 'CANCELLED' }, null],
  ['twice for one claim window', {}, reward.claimExpiresAt],
  ['after the claim window', { claimExpiresAt: at(1) }, null],
];

for (const [why, changes, offeredUntil] of none) {
  test(`the claim link is not sent ${why}`, (t) => {
    t.false(isClaimLinkDue({ ...reward, ...changes }, offeredUntil, Date.parse(at(1))));
  });
}

test('the claim link is not sent days after it was given up', (t) => {
  t.false(isClaimLinkDue(reward, null, Date.parse(at(4)) + 1));
});
