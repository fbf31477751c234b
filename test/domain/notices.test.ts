import test from 'ava';
import { noticeDelayMs } from '../../domain/partners.ts';

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);

test('immediate notices go out at once, but frequent ones are collected for ten minutes', (t) => {
  t.is(noticeDelayMs('funding.low', 'AT_ONCE', at('12:00')), 0);
  t.is(noticeDelayMs('reward.awaiting_funding', 'AT_ONCE', at('12:00')), 600_000);
});

test('daily notices go out at the next seven o’clock UTC', (t) => {
  for (const [time, hours] of [
    ['06:00', 1],
    ['07:00', 24],
    ['07:30', 23.5],
    ['23:00', 8],
  ] as const) {
    t.is(noticeDelayMs('funding.low', 'DAILY', at(time)), hours * 3_600_000, time);
    t.is(noticeDelayMs('review.waiting', 'DAILY', at(time)), hours * 3_600_000, time);
  }
});
