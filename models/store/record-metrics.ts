import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import { metricPrefix } from '../../platform/metrics.ts';
import {
  appended,
  messageUndelivered,
  purgesOfWebhooks,
  rewardMoved,
  webhookTried,
} from './metric-events.ts';

/** In seconds, around the promise that a reward is funded within a minute. */
const fundingBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600];

/** In seconds, up to the timeout of an attempt, and for deliveries that waited. */
const webhookBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300];

/** Records the metrics of this process's ledger entries, rewards, messages and webhooks. */
export function recordModelMetrics(registry: Registry): void {
  const registers = [registry];
  const appends = new Counter({
    name: `${metricPrefix}ledger_entries_total`,
    help: 'Entries appended to wallets’ ledgers, by mode',
    labelNames: ['mode'],
    registers,
  });
  appended.subscribe(({ mode, entries }) => appends.inc({ mode }, entries));

  const undelivered = new Counter({
    name: `${metricPrefix}messages_undelivered_total`,
    help: 'Messages about rewards that did not reach the customer, by channel, reason and mode',
    labelNames: ['channel', 'reason', 'mode'],
    registers,
  });
  messageUndelivered.subscribe((labels) => undelivered.inc({ ...labels }));

  const tries = new Counter({
    name: `${metricPrefix}webhook_attempts_total`,
    help: 'Attempts to deliver a webhook, by mode and outcome',
    labelNames: ['mode', 'outcome'],
    registers,
  });
  const answers = new Histogram({
    name: `${metricPrefix}webhook_response_seconds`,
    help: 'How long endpoints took to respond',
    labelNames: ['mode'],
    buckets: webhookBuckets,
    registers,
  });
  const waits = new Histogram({
    name: `${metricPrefix}webhook_delay_seconds`,
    help: 'Time from an event to the first attempt to deliver it',
    labelNames: ['mode'],
    buckets: webhookBuckets,
    registers,
  });
  webhookTried.subscribe(({ mode, isSuccess, durationMs, firstTriedAfterMs }) => {
    tries.inc({ mode, outcome: isSuccess ? 'delivered' : 'failed' });
    answers.observe({ mode }, durationMs / 1000);
    if (firstTriedAfterMs !== null) waits.observe({ mode }, firstTriedAfterMs / 1000);
  });
  const purged = new Counter({
    name: `${metricPrefix}webhooks_purged_total`,
    help: 'Webhook deliveries deleted after 30 days, by whether they had arrived',
    labelNames: ['arrived'],
    registers,
  });
  purgesOfWebhooks.subscribe(({ deleted, undelivered }) => {
    purged.inc({ arrived: 'yes' }, deleted - undelivered);
    purged.inc({ arrived: 'no' }, undelivered);
  });

  const moves = new Counter({
    name: `${metricPrefix}reward_moves_total`,
    help: 'Changes of rewards’ states, by move and mode',
    labelNames: ['move', 'mode'],
    registers,
  });
  const funding = new Histogram({
    name: `${metricPrefix}funding_delay_seconds`,
    help: 'Time from a purchase to the funding of its reward, if funds were available',
    labelNames: ['mode'],
    buckets: fundingBuckets,
    registers,
  });
  rewardMoved.subscribe(({ mode, move, firstFundedAfterMs }) => {
    moves.inc({ move, mode });
    if (firstFundedAfterMs !== null) funding.observe({ mode }, firstFundedAfterMs / 1000);
  });
}
