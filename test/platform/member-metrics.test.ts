import { EventEmitter } from 'node:events';
import { Registry } from '@prometheus-io/client';
import test from 'ava';
import { type HeartbeatSource, lagMs, observeMembers } from '../../platform/member-metrics.ts';

test('a lag is what a member has yet to write, whenever either was heard', (t) => {
  const primary = { isPrimary: true, heardAt: 1_000, lastWriteAt: 900 };
  const of = (heardAt: number, lastWriteAt: number) =>
    lagMs({ isPrimary: false, heardAt, lastWriteAt }, primary);
  t.is(of(1_000, 900), 0);
  t.is(of(1_000, 400), 500);
  // Heard half a second later, and as far as the primary by then.
  t.is(of(1_500, 1_400), 0);
  t.is(of(1_000, 950), 0);
});

test('members that answer, lag and are away are told apart by name', async (t) => {
  const source = new EventEmitter();
  const registry = new Registry();
  observeMembers(source as unknown as HeartbeatSource, registry);
  const at = Date.now();
  const hear = (connectionId: string, reply: object, lastWriteDate = new Date(at)) =>
    source.emit('serverHeartbeatSucceeded', {
      connectionId,
      reply: { ...reply, lastWrite: { lastWriteDate } },
    });
  hear('one:27017', { isWritablePrimary: true });
  hear('two:27017', { secondary: true }, new Date(at - 120_000));
  hear('arbiter:27017', { arbiterOnly: true });
  source.emit('serverHeartbeatFailed', { connectionId: 'three:27017' });
  hear('gone:27017', { secondary: true });
  source.emit('serverClosed', { address: 'gone:27017' });
  const text = await registry.metrics();
  const up = [...text.matchAll(/member_up{member="(\w+):27017"} (\d)/g)].map(([, ...one]) => one);
  t.deepEqual(up, [
    ['one', '1'],
    ['two', '1'],
    ['three', '0'],
  ]);
  const lag = /lag_seconds{member="two:27017"} (\d+)/.exec(text)?.[1];
  t.true(Number(lag) >= 119 && Number(lag) <= 121, text);
  t.notRegex(text, /lag_seconds{member="three/);
});
