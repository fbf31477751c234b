import test from 'ava';
import { reminderAtMs } from '../../domain/reward.ts';

const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
const reward = {
  ...({ mode: 'LIVE', status: 'PENDING' } as const),
  fundedAt: at(1),
  claimExpiresAt: at(31),
};

test('a customer is reminded three days before the claim window ends', (t) => {
  t.is(reminderAtMs(reward), Date.parse(at(28)));
  t.is(reminderAtMs({ ...reward, claimExpiresAt: at(8) }), Date.parse(at(5)));
});

const none: [why: string, changes: Partial<Parameters<typeof reminderAtMs>[0]>][] = [
  ['a window shorter than a week', { claimExpiresAt: at(7) }],
  ['a TEST reward', { mode: 'TEST' }],
  ['a reward waiting for funds', { status: 'AWAITING_FUNDING', fundedAt: null }],
  ['a claimed reward', { status: 'AVAILABLE' }],
];

for (const [why, changes] of none) {
  test(`no reminder is sent for ${why}`, (t) => {
    t.is(reminderAtMs({ ...reward, ...changes }), null);
  });
}
