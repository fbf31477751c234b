import test from 'ava';
import { timeLeft } from '../../portal/html/time-left.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const rows: [leftMs: number, text: string][] = [
  [1, 'in less than a minute'],
  [minuteMs - 1, 'in less than a minute'],
  [minuteMs, 'in 1 minute'],
  [90 * minuteMs, 'in 90 minutes'],
  [2 * hourMs, 'in 2 hours'],
  [36 * hourMs, 'in 36 hours'],
  [2 * dayMs, 'in 2 days'],
  [13 * dayMs - 1, 'in 12 days'],
  [365 * dayMs, 'in 365 days'],
  [5 * 366 * dayMs, 'in 5 years'],
];

for (const [leftMs, text] of rows) {
  test(`${leftMs} ms are ${text}`, (t) => {
    t.is(timeLeft(leftMs, 'en', 'in less than a minute'), text);
  });
}
