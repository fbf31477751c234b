import test, { type ExecutionContext } from 'ava';
import pLimit from 'p-limit';
import { runAudit } from '../../../audit/run.ts';
import type { Mode } from '../../../domain/mode.ts';
import type { RewardSnapshot } from '../../../domain/reward.ts';
import { type Fate, immortal, interrupted } from '../../helpers/faults.ts';
import { places } from '../../helpers/places.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';
import { assertInvariants } from './helpers/assert-invariants.ts';
import { type Circumstances, createWorld, type World } from './helpers/world.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

/** Separate processes, because the overtaken one is still in the middle of its work. */
const overtaken = (fate: Fate = immortal()): Circumstances => ({ place: 0, fate, isTwice: false });
const faster = (): Circumstances => ({ place: 1, fate: immortal(), isTwice: false });

interface Race {
  arrange(world: World): Promise<unknown>;
  act(world: World): Promise<unknown>;
  meanwhile(world: World): Promise<unknown>;
  /** The final states of the rewards, in order of purchase. */
  ends: Partial<RewardSnapshot>[];
}

const placeMs = 300_000;
/** How many races were run, each in a world of its own. */
let raced = 0;

/** An append that was overtaken tries again for eight seconds. More races at once could delay it for longer. */
const races = pLimit(6);

/**
 * Runs one action in the middle of another: before its first database operation, between any two of them,
 * and after the last. The rewards end the same each time, and the ledger is correct.
 */
const raceAtEveryOperation = (t: ExecutionContext, race: Race): Promise<void> =>
  races(() => raceInTurn(t, race));

async function raceInTurn(t: ExecutionContext, { arrange, act, meanwhile, ends }: Race) {
  for (const place of places()) {
    // Starts the time limit anew for each place, because all of them take long on a busy machine.
    t.timeout(placeMs);
    raced += 1;
    const world = await createWorld(database);
    await arrange(world);
    await world.settled();
    const doing = async () => {
      await act(world);
      await world.settled();
    };
    const { hasHappened } = await interrupted(place, doing, () => meanwhile(world));
    if (!hasHappened) {
      t.true(place > 3, 'the action has several database operations');
      await meanwhile(world);
    }
    await world.settled();
    const rewards = world.rewards().map(({ state }) => ({ state }));
    t.deepEqual(rewards, ends as typeof rewards, `before operation ${place + 1}`);
    await t.notThrowsAsync(assertInvariants(world), `before operation ${place + 1}`);
    if (!hasHappened) return;
  }
}

const funded = { state: 'FUNDED' } as const;
const awaiting = { state: 'AWAITING_FUNDING' } as const;
const cancelled = { state: 'CANCELLED' } as const;
const expired = { state: 'EXPIRED' } as const;

/** Buys rewards one after the other. @param costs of each, in cents */
async function buy(world: World, mode: Mode, costs: number[], how = overtaken()): Promise<void> {
  for (const cents of costs) {
    await world.buy({ mode, customer: 0, subtotalCents: cents * 10, value: 0 }, how);
  }
}

/** Queues rewards behind a wallet that has only one cent. */
const queue = (mode: Mode, costs: number[]) => async (world: World) => {
  await world.topUp(mode, 1, overtaken());
  await buy(world, mode, costs);
};

const topUpMeanwhile = (mode: Mode, cents: number) => (world: World) => {
  world.setWorkersCircumstances(faster());
  return world.topUp(mode, cents, faster());
};

const fates: [how: string, fate: () => Fate][] = [
  ['', immortal],
  [
    ', by a process that dies before it commits',
    () => ({ writesLeft: 0, lastIsDone: false, isDead: false }),
  ],
  [
    ', by a process that dies with its commit done',
    () => ({ writesLeft: 0, lastIsDone: true, isDead: false }),
  ],
];

for (const [mode, move, end] of [
  ['LIVE', 'REFUND', cancelled],
  ['LIVE', 'EXPIRE', expired],
  ['TEST', 'REFUND', cancelled],
] as const) {
  for (const [how, fate] of mode === 'LIVE' && move === 'REFUND' ? fates : fates.slice(0, 1)) {
    test(`${mode}: ${move} of the first in the queue while it is being funded${how}: its reserved money goes to the next`, async (t) => {
      await raceAtEveryOperation(t, {
        arrange: queue(mode, [100, 100]),
        async act(world) {
          world.setWorkersCircumstances(overtaken(fate()));
          await world.topUp(mode, 100, overtaken());
        },
        meanwhile: (world) => world.move(move, 0, faster()),
        ends: [end, funded],
      });
    });
  }

  test(`${mode}: a top-up while ${move} removes the first from the queue: the money goes to the next`, async (t) => {
    await raceAtEveryOperation(t, {
      arrange: queue(mode, [100, 100]),
      act: (world) => world.move(move, 0, overtaken()),
      meanwhile: topUpMeanwhile(mode, 100),
      ends: [end, funded],
    });
  });
}

test('a top-up while a purchase finds insufficient funds: the purchase does not wait for money that has arrived', async (t) => {
  await raceAtEveryOperation(t, {
    arrange: (world) => world.topUp('LIVE', 1, overtaken()),
    act: (world) => buy(world, 'LIVE', [100]),
    meanwhile: topUpMeanwhile('LIVE', 100),
    ends: [funded],
  });
});

test('the only reward in the queue is refunded while a purchase joins: the purchase does not wait in an empty queue', async (t) => {
  await raceAtEveryOperation(t, {
    arrange: queue('LIVE', [100]),
    async act(world) {
      world.setWorkersCircumstances(faster());
      await world.topUp('LIVE', 49, overtaken());
      await buy(world, 'LIVE', [50]);
    },
    meanwhile: (world) => world.move('REFUND', 0, faster()),
    ends: [cancelled, funded],
  });
});

test('a small purchase does not overtake a reward that the funds do not cover while the queue is being served', async (t) => {
  await raceAtEveryOperation(t, {
    arrange: queue('LIVE', [100, 100]),
    act: (world) => world.topUp('LIVE', 150, overtaken()),
    meanwhile: (world) => buy(world, 'LIVE', [20], faster()),
    ends: [funded, awaiting, awaiting],
  });
});

test('a top-up while the queue is being served is used', async (t) => {
  await raceAtEveryOperation(t, {
    arrange: queue('LIVE', [100, 100, 100]),
    act: (world) => world.topUp('LIVE', 150, overtaken()),
    meanwhile: (world) => world.topUp('LIVE', 150, faster()),
    ends: [funded, funded, funded],
  });
});

test('spending points while the refund of their reward is upheld neither loses nor double-counts a cent or a point', async (t) => {
  await raceAtEveryOperation(t, {
    async arrange(world) {
      await world.topUp('LIVE', 100, overtaken());
      await buy(world, 'LIVE', [100, 30]);
      await world.move('CLAIM', 0, overtaken());
      await world.move('REFUND', 0, overtaken());
    },
    act: (world) => world.move('UPHOLD', 0, overtaken()),
    meanwhile: (world) => world.redeem(0, 0.4, faster()),
    ends: [cancelled, funded],
  });
});

test.after('the audit finds no fault after these races', async (t) => {
  const { faults, lookedAt, summary } = await runAudit(await createWorld(database), {
    patienceMs: 0,
  });
  t.is(faults, 0, summary);
  t.true(raced > 0 && lookedAt > 10 * raced);
});
