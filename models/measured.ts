import { Counter, Histogram, type Registry } from 'prom-client';
import { metricPrefix } from '../platform/metrics.ts';
import { appended, rewardMoved } from './told.ts';

/** Seconds, around the promise that a reward is funded within a minute. */
const fundingBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600];

/** Counts what this process writes to the chains and to the rewards. */
export function measureModels(registry: Registry): void {
  const registers = [registry];
  const appends = new Counter({
    name: `${metricPrefix}ledger_entries_total`,
    help: 'Entries appended, by the collection of their chain',
    labelNames: ['collection'],
    registers,
  });
  const races = new Counter({
    name: `${metricPrefix}ledger_races_total`,
    help: 'Writes to a chain that found their place taken and were decided anew',
    labelNames: ['collection'],
    registers,
  });
  appended.listen(({ collection, entries, raced }) => {
    appends.inc({ collection }, entries);
    races.inc({ collection }, raced ? 1 : 0);
  });

  const moves = new Counter({
    name: `${metricPrefix}reward_moves_total`,
    help: 'Moves of rewards, by the move of the state table and by mode',
    labelNames: ['move', 'mode'],
    registers,
  });
  const funding = new Histogram({
    name: `${metricPrefix}funding_delay_seconds`,
    help: 'From the purchase to the funding of its reward, where the funds were there',
    labelNames: ['mode'],
    buckets: fundingBuckets,
    registers,
  });
  rewardMoved.listen(({ mode, move, firstFundedAfterMs }) => {
    moves.inc({ move, mode });
    if (firstFundedAfterMs !== null) funding.observe({ mode }, firstFundedAfterMs / 1000);
  });
}
