import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Connection } from 'mongoose';
import { answerBuckets, metricPrefix } from './metrics.ts';

/** Measures how long operations wait for one of the connections to MongoDB. */
export function observePool(connection: Connection, registry: Registry): void {
  const registers = [registry];
  const wait = new Histogram({
    name: `${metricPrefix}mongodb_pool_wait_seconds`,
    help: 'How long operations waited for a connection from the pool',
    buckets: answerBuckets,
    registers,
  });
  const waiting = new Gauge({
    name: `${metricPrefix}mongodb_pool_waiting`,
    help: 'Operations waiting for a connection',
    registers,
  });
  const failures = new Counter({
    name: `${metricPrefix}mongodb_pool_failures_total`,
    help: 'Operations that did not get a connection, by reason',
    labelNames: ['reason'],
    registers,
  });
  const client = connection.getClient();
  client.on('connectionCheckOutStarted', () => waiting.inc());
  client.on('connectionCheckedOut', ({ durationMS }) => {
    waiting.dec();
    wait.observe(durationMS / 1000);
  });
  client.on('connectionCheckOutFailed', ({ reason }) => {
    waiting.dec();
    failures.inc({ reason });
  });
}
