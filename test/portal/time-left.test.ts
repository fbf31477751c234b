import test from 'ava';
import { away, timeLeft } from '../../portal/components/format.ts';

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

const roughly: [awayMs: number, text: string][] = [
  [0, 'now'],
  [minuteMs / 2 - 1, 'now'],
  [minuteMs / 2, 'in 1 min'],
  [29 * minuteMs, 'in 29 min'],
  [30 * minuteMs, 'in 1 h'],
  [89 * minuteMs, 'in 1 h'],
  [90 * minuteMs, 'in 2 h'],
  [12 * hourMs - minuteMs, 'in 12 h'],
  [12 * hourMs, 'in 1 d'],
  [3 * dayMs - hourMs, 'in 3 d'],
  [3 * dayMs + 11 * hourMs, 'in 3 d'],
  [3 * dayMs + 12 * hourMs, 'in 4 d'],
  [-5 * minuteMs, '5 min ago'],
  [-(3 * dayMs - hourMs), '3 d ago'],
];

for (const [awayMs, text] of roughly) {
  test(`roughly, ${awayMs} ms are ${text}`, (t) => {
    const nowMs = Date.UTC(2026, 2, 24);
    t.is(away(new Date(nowMs + awayMs), nowMs), text);
  });
}
