import { inspect } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { runAudit } from '../../../audit/run.ts';
import type { RedemptionAction } from '../../../domain/redemption.ts';
import { isThorough } from '../../helpers/places.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';
import { assertInvariants } from './helpers/assert-invariants.ts';
import { type Circumstances, createWorld, type World } from './helpers/world.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const nth = fc.nat({ max: 99 });
const mode = fc.constantFrom('LIVE' as const, 'LIVE' as const, 'LIVE' as const, 'TEST' as const);
const customer = fc.nat({ max: 2 });

const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('BUY' as const),
      mode,
      customer,
      subtotalCents: fc.integer({ min: 0, max: 9_000 }),
      value: nth,
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...([
          'CLAIM',
          'CLAIM',
          'CLAIM',
          'REFUND',
          'REFUND',
          'EXPIRE',
          'CANCEL',
          'UPHOLD',
          'DISMISS',
          'MATURE',
          'MATURE',
          'END_GRACE',
          'END_GRACE',
        ] as const),
      ),
      nth,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('PART' as const),
      nth,
      amountCents: fc.integer({ min: 1, max: 4_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('TOP_UP' as const),
      mode,
      amountCents: fc.integer({ min: 1, max: 2_500 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('REDEEM' as const),
      customer,
      share: fc.constantFrom(0.01, 0.3, 0.5, 1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('SPEND' as const),
      mode,
      customer,
      share: fc.constantFrom(0.01, 0.3, 0.5, 1),
      isHeld: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['CAPTURE', 'CAPTURE', 'RELEASE', 'REVERSE', 'REVERSE_PART', 'END_HOLD'] as const),
      ),
      nth,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('END_POINTS' as const), mode, customer }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('LET_END' as const),
      mode,
      after: fc.constantFrom('P12M' as const, 'P12M' as const, 'P24M' as const, null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('WITHDRAW' as const),
      amountCents: fc.integer({ min: 1, max: 1_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('BUY_AGAIN' as const),
      nth,
      isSameKey: fc.boolean(),
    }),
  },
);

/** Some actions are performed twice, and some processes die during them. */
const circumstances = fc.record({
  place: fc.nat({ max: 1 }),
  isTwice: fc.boolean(),
  diesAfterWrites: fc.option(fc.nat({ max: 6 }), { freq: 2 }),
  lastIsDone: fc.boolean(),
});
type Circumstance = typeof circumstances extends fc.Arbitrary<infer T> ? T : never;

/** Concurrent actions, and the circumstances of the workers meanwhile. */
const step = fc.record({
  actions: fc.array(fc.record({ action, how: circumstances }), { minLength: 1, maxLength: 3 }),
  workers: circumstances,
});

function inCircumstances({ place, isTwice, diesAfterWrites, lastIsDone }: Circumstance) {
  const writesLeft = diesAfterWrites ?? Number.POSITIVE_INFINITY;
  return { place, isTwice, fate: { writesLeft, lastIsDone, isDead: false } };
}

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const normal: Circumstance = {
  place: 0,
  isTwice: false,
  diesAfterWrites: null,
  lastIsDone: false,
};
const undisturbed = (one: Action): Step => ({
  actions: [{ action: one, how: normal }],
  workers: normal,
});
const buying = (who: number) =>
  undisturbed({ do: 'BUY', mode: 'LIVE', customer: who, subtotalCents: 5_000, value: 0 });
type End = RedemptionAction | 'END_HOLD' | 'REVERSE_PART';
type Move = Exclude<
  Extract<Action, { nth: number }>['do'],
  'BUY_AGAIN' | 'PART' | 'END_GRACE' | End
>;
const moving = (one: Move, nth = 0) => undisturbed({ do: one, nth });
const holding = undisturbed({ do: 'SPEND', mode: 'LIVE', customer: 1, share: 0.3, isHeld: true });
const ending = (one: End) => undisturbed({ do: one, nth: 0 });

/**
 * A scenario that writes entries of every kind, so that the assertion about kinds does not depend on the seed.
 * Of three refunded rewards, the points of one were spent, those of another were not, and the last was not
 * claimed.
 */
const everyKind: Step[] = [
  ...[buying(0), buying(1), buying(2)],
  ...[moving('CLAIM'), moving('CLAIM'), undisturbed({ do: 'REDEEM', customer: 0, share: 1 })],
  // The first that was captured is the operator's, which gives its points back.
  ...[holding, ending('RELEASE'), holding, ending('CAPTURE')],
  ...[undisturbed({ do: 'END_HOLD', nth: 0 })],
  ...[undisturbed({ do: 'REVERSE_PART', nth: 1 }), undisturbed({ do: 'REVERSE', nth: 1 })],
  undisturbed({ do: 'WITHDRAW', amountCents: 1 }),
  ...[moving('REFUND', 0), moving('REFUND', 1), moving('REFUND', 2)],
  ...[moving('UPHOLD'), moving('UPHOLD')],
  // What was written off of the customer is settled.
  ...[buying(0), moving('CLAIM')],
  // Another customer's points end, and one of the rewards is refunded then.
  undisturbed({ do: 'LET_END', mode: 'LIVE', after: 'P12M' }),
  ...[buying(2), moving('CLAIM'), undisturbed({ do: 'END_POINTS', mode: 'LIVE', customer: 2 })],
];

const ends: readonly string[] = [
  ...(['CAPTURE', 'RELEASE', 'REVERSE', 'REVERSE_PART', 'END_HOLD'] satisfies End[]),
];
const isEnd = (one: Action): one is Extract<Action, { do: End }> => ends.includes(one.do);

async function happen(world: World, one: Action, how: Circumstances): Promise<void> {
  if (one.do === 'BUY') await world.buy(one, how);
  else if (one.do === 'BUY_AGAIN') await world.buyAgain(one.nth, one.isSameKey, how);
  else if (one.do === 'PART') await world.refundPart(one.nth, one.amountCents, how);
  else if (one.do === 'END_GRACE') await world.endGrace(one.nth, how);
  else if (one.do === 'TOP_UP') await world.topUp(one.mode, one.amountCents, how);
  else if (one.do === 'REDEEM') await world.redeem(one.customer, one.share, how);
  else if (one.do === 'SPEND') await world.spend(one, how);
  else if (one.do === 'LET_END') await world.letPointsEnd(one.mode, one.after, how);
  else if (one.do === 'END_POINTS') await world.endPoints(one.mode, one.customer, how);
  else if (one.do === 'WITHDRAW') await world.withdraw(one.amountCents, how);
  else if (isEnd(one)) await world.endRedemption(one.do, one.nth, how);
  else await world.move(one.do, one.nth, how);
}

test('in any order of operations, and after any crash, the ledger is correct after each step', async (t) => {
  const moved = new Set<string>();
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 12, maxLength: 30 }),
    async (steps) => {
      const world = await createWorld(database);
      await world.topUp('LIVE', 2_000, inCircumstances(normal));
      for (const [place, { actions, workers }] of steps.entries()) {
        world.setWorkersCircumstances(inCircumstances(workers));
        try {
          await Promise.all(
            actions.map((one) => happen(world, one.action, inCircumstances(one.how))),
          );
          await world.settled();
          await assertInvariants(world);
        } catch (error) {
          throw new Error(`step ${place}`, { cause: error });
        }
      }
      const { models, partnerId } = world;
      const audit = await runAudit(world, { partnerId, patienceMs: 0 });
      if (audit.faults > 0) throw new Error(JSON.stringify(audit.checks));
      for (const kind of await models.ledger.distinct('kind', { partnerId })) moved.add(kind);
    },
  );
  const { failed, seed, counterexample, errorInstance } = await fc.check(property, {
    numRuns: isThorough ? 24 : 8,
    endOnFailure: true,
    examples: [[everyKind]],
  });
  t.false(failed, `seed ${seed}: ${inspect(errorInstance)}\n${JSON.stringify(counterexample)}`);
  const every = [
    ...['TOP_UP', 'WITHDRAWAL', 'RESERVE', 'RELEASE', 'CLAIM', 'CLAWBACK', 'WRITE_OFF'],
    ...['REDEEM', 'HOLD', 'UNHOLD', 'REVERSE', 'SETTLE', 'POINTS_END'],
  ];
  t.deepEqual([...moved].sort(), every.sort());
});
