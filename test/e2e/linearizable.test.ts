import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import {
  buildChecker,
  type CheckResult,
  faultsOf,
  type PlantedFault,
  plantedFaults,
  unexplainedCount,
} from '../../dev/prove-failover/linearizable.ts';

interface Operation {
  model: string;
  part: string;
  client: number;
  callUs: number;
  returnUs: number | null;
  during?: string;
  input: { op: string; key?: string; body?: string; amount?: number };
  output: { code?: string; eventId?: string; status?: string; balance?: number } | null;
}
type Step = Pick<Operation, 'input' | 'output'>;

const topUp = (key: number, code = 'DONE'): Step => ({
  input: { op: 'top-up', key: String(key), amount: 100 + key },
  output: { code },
});
const balance = (cents: number): Step => ({ input: { op: 'read' }, output: { balance: cents } });
const status = (op: string, now: string): Step => ({ input: { op }, output: { status: now } });
const buy = (key: string, code: string, eventId?: string): Step => ({
  input: { op: 'purchase', key, body: '1000' },
  output: { code, ...(eventId && { eventId }) },
});

/** Sequential operations: each gets its response before the next one is sent. */
const sequential = (model: string, part: string, steps: readonly Step[]): Operation[] =>
  steps.map((step, at) => ({
    model,
    part,
    client: at % 3,
    callUs: at * 100,
    returnUs: at * 100 + 50,
    ...step,
  }));

const wallet = (part = 'wallet') =>
  sequential('wallet', part, [
    ...[topUp(0), balance(100), topUp(1), topUp(0, 'REPEATED'), balance(201), balance(201)],
  ]);
const reward = () =>
  sequential('reward', 'reward', [
    status('read', 'PENDING'),
    { ...status('claim', 'AVAILABLE'), output: { code: 'DONE', status: 'AVAILABLE' } },
    ...[status('read', 'AVAILABLE'), status('read', 'AVAILABLE')],
  ]);
const order = () =>
  sequential('order', 'order', [
    buy('one', 'RECORDED', 'event'),
    buy('other', 'DUPLICATE_EXTERNAL_ORDER'),
    buy('one', 'RECORDED', 'event'),
  ]);

let folder: string;
let checkHistory: (history: readonly Operation[], plant?: PlantedFault) => Promise<CheckResult>;
test.before(async () => {
  const check = await buildChecker();
  folder = await mkdtemp(join(tmpdir(), 'linearizable-'));
  let written = 0;
  checkHistory = async (history, plant) => {
    const file = join(folder, `${written++}.jsonl`);
    await writeFile(file, history.map((one) => `${JSON.stringify(one)}\n`).join(''));
    return await check(file, plant);
  };
});
test.after.always(() => rm(folder, { recursive: true, force: true }));

test('a history that some order of its requests explains is clean, unanswered requests included', async (t) => {
  const unanswered: Operation = { ...topUp(2), output: null, returnUs: null } as Operation;
  const seen = [...wallet(), { ...wallet()[0], ...unanswered, callUs: 600 }] as Operation[];
  const later = { ...(wallet()[1] as Operation), ...balance(303), callUs: 900, returnUs: 950 };
  const found = await checkHistory([...seen, later, ...reward(), ...order()]);
  t.deepEqual([found.illegal, found.stale, found.undecided], [[], [], []]);
  t.is(found.parts, 3);
  t.is(found.unanswered, 1);
});

test('a planted lost write, duplicate write or stale read is found', async (t) => {
  const history = [...wallet(), ...wallet('another'), ...reward(), ...order()];
  const planted = {} as Record<PlantedFault, CheckResult>;
  for (const plant of plantedFaults) planted[plant] = await checkHistory(history, plant);
  t.deepEqual(
    plantedFaults.map((plant) => [plant, planted[plant].planted, unexplainedCount(planted[plant])]),
    [
      ['lost', 4, 4],
      ['doubled', 3, 3],
      ['stale', 3, 3],
    ],
  );
  t.deepEqual(faultsOf(await checkHistory(history), planted), []);
  const missed = { ...planted, lost: { ...planted.lost, illegal: [], stale: [] } };
  t.deepEqual(faultsOf(await checkHistory(history), missed), [
    'only 0 of 4 planted faults (lost) were found',
  ]);
});

test('a stale read is distinguished from a lost write only if the primary changed meanwhile', async (t) => {
  const stale = wallet();
  const at = 4;
  const read = { ...(stale[at] as Operation), ...balance(100) };
  const quiet = await checkHistory(stale.with(at, read));
  t.deepEqual([quiet.illegal, quiet.stale], [['wallet wallet'], []]);

  const during = 'primary killed';
  const unsettled = await checkHistory(stale.with(at, { ...read, during }));
  t.deepEqual(unsettled.illegal, []);
  t.deepEqual(unsettled.stale, [{ part: 'wallet wallet', during: [during] }]);

  // If a later read does not have the write either, it is lost.
  const lost = stale
    .with(at, { ...read, during })
    .with(5, { ...(stale[5] as Operation), ...balance(100) });
  t.deepEqual((await checkHistory(lost)).illegal, ['wallet wallet']);
});

test('two orders recorded under one external id, and a wrong outcome of a claim, are found', async (t) => {
  const twice = order().with(2, {
    ...(order()[2] as Operation),
    ...buy('one', 'RECORDED', 'second'),
  });
  t.deepEqual((await checkHistory(twice)).illegal, ['order order']);
  const cancelled = reward().with(3, {
    ...(reward()[3] as Operation),
    ...status('read', 'CANCELLED'),
  });
  t.deepEqual((await checkHistory(cancelled)).illegal, ['reward reward']);
});
