import type { Answers } from './figures.ts';

export const concurrencies = [1, 16, 64] as const;

type Floor = 'bare insert' | 'floor' | 'bare Koa';
export type Reading = 'replays' | 'GET plans' | 'GET usage' | 'GET billing';

/** What was answered at so many at a time. */
export interface Measured {
  what: Floor | Reading;
  atOnce: number;
  answers: Answers;
}
