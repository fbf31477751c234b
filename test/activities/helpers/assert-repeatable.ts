import type { ExecutionContext } from 'ava';
import { dyingAfter, type Fate, Killed, under } from '../../helpers/faults.ts';
import { places } from '../../helpers/places.ts';
import type { Activities, Database, Process } from '../../helpers/processes.ts';
import { openStage, type Stage } from './stage.ts';

export type Call = (activities: Activities, process: Process) => Promise<unknown>;
/** Prepares a stage for a call of an activity. @returns the call */
export type Scenario = (stage: Stage) => Promise<Call>;

const concurrentCalls = 4;
/** More writes than any activity makes, with the ends of its transactions. */
const maxWrites = 30;

/** @returns the outcome of a single undisturbed call of an activity, and the number of its writes */
export async function runUndisturbed(database: Database, scenario: Scenario) {
  const counting = dyingAfter(maxWrites);
  const outcome = await run(database, scenario, (stage, call) =>
    under(counting, () => stage.perform(stage.newProcess(), call)),
  );
  return { outcome, writes: maxWrites - counting.writesLeft };
}

/**
 * Asserts that an activity can safely be repeated. Two calls in a row, concurrent calls, and a call after a crash in
 * any of the writes return and store the same as a single undisturbed call.
 */
export async function assertRepeatable(
  t: ExecutionContext,
  database: Database,
  scenario: Scenario,
  { outcome: undisturbed, writes }: Awaited<ReturnType<typeof runUndisturbed>>,
): Promise<void> {
  let afterFirst: string[] = [];
  const twice = await run(database, scenario, async (stage, call) => {
    await stage.call(call);
    afterFirst = await stage.stored();
    return await stage.perform(stage.newProcess(), call);
  });
  t.deepEqual(twice.stored, afterFirst, 'the second call changes nothing');
  t.deepEqual(twice, undisturbed, 'two calls in a row');

  const answers = new Set<string>();
  const concurrent = await run(database, scenario, async (stage, call) => {
    const calls = Array.from({ length: concurrentCalls }, () =>
      stage.perform(stage.newProcess(), call),
    );
    const all = await Promise.all(calls);
    for (const answer of all) answers.add(stage.plain(answer));
    return all[0];
  });
  t.deepEqual(concurrent, undisturbed, 'concurrent calls');
  t.is(answers.size, 1, 'concurrent calls return the same');

  for (const fate of fates()) {
    // A process that outlives the call would only make another undisturbed one.
    if (fate.writesLeft >= writes) break;
    const what = `died in write ${fate.writesLeft + 1}, which was ${fate.lastIsDone ? 'applied' : 'lost'}`;
    const repeated = await run(database, scenario, async (stage, call) => {
      const dying = under(fate, () => stage.perform(stage.newProcess(), call));
      const answer = await dying.catch((error: unknown) => {
        if (!fate.isDead && !(error instanceof Killed)) throw error;
      });
      return fate.isDead ? await stage.perform(stage.newProcess(), call) : answer;
    });
    t.deepEqual(repeated, undisturbed, what);
  }
}

/** Deaths in each write, once before and once after it takes effect. The sequence is infinite. */
export function* fates(): Generator<Fate> {
  for (const place of places()) yield dyingAfter(Math.floor(place / 2), place % 2 === 1);
}

/** What a call returned, sent and stored, comparable across stages. */
interface Outcome {
  answer: string;
  sent: string[];
  stored: string[];
}

/** Runs a scenario on a new stage. */
async function run(
  database: Database,
  scenario: Scenario,
  act: (stage: Stage, call: Call) => Promise<unknown>,
): Promise<Outcome> {
  const stage = await openStage(database);
  const call = await scenario(stage);
  stage.mails.clear();
  const answer = stage.plain(await act(stage, call));
  const sent = [...stage.mails].map((text) => stage.plain(text)).toSorted();
  return { answer, sent, stored: await stage.stored() };
}
