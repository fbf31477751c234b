import type { Answers } from './figures.ts';

export const concurrencies = [1, 16, 64] as const;

type Floor = 'bare insert' | 'floor' | 'bare Koa' | 'refund floor' | 'claim floor';
export type ReadKind = 'replays' | 'GET plans' | 'GET usage' | 'GET billing';
export type MoveKind =
  | 'refunds'
  | 'refunds, purchase backlog'
  | 'refunds, Temporal stopped'
  | 'claims'
  | 'claims, purchase backlog'
  | 'claims, Temporal stopped';

export interface Measured {
  what: Floor | ReadKind | MoveKind;
  concurrency: number;
  answers: Answers;
}
