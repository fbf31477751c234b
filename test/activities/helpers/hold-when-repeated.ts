import type { ExecutionContext } from 'ava';
import { purchaseSignals } from '../../../domain/workflow-names.ts';
import { dyingAfter, type Fate, Killed, under } from '../../helpers/faults.ts';
import { places } from '../../helpers/places.ts';
import type { Activities, Database, Process } from '../../helpers/processes.ts';
import { openStage, type Stage } from './stage.ts';

export type Call = (activities: Activities, process: Process) => Promise<unknown>;
/** Brings a stage to where an activity is called. @returns the call */
export type Scenario = (stage: Stage) => Promise<Call>;

const atOnce = 4;
/** No activity writes more often: one that does dies of it. */
export const maxWrites = 30;

/**
 * Holds an activity against its promise that a repeat is harmless: called twice in a row, called
 * several times at once, and dying in its writes before it is called again, it answers and leaves what
 * one undisturbed call does.
 * @returns how many writes it does
 */
export async function holdsWhenRepeated(
  t: ExecutionContext,
  database: Database,
  scenario: Scenario,
): Promise<number> {
  const counting = dyingAfter(maxWrites);
  const calm = await play(database, scenario, (stage, call) =>
    under(counting, () => stage.perform(stage.newProcess(), call)),
  );

  const twice = await play(database, scenario, async (stage, call) => {
    await stage.call(call);
    const before = await stage.stored();
    const answer = await stage.perform(stage.newProcess(), call);
    t.deepEqual(await stage.stored(), before, 'the second call changed something');
    return answer;
  });
  t.deepEqual(twice, calm, 'twice in a row');

  const answers = new Set<string>();
  const together = await play(database, scenario, async (stage, call) => {
    const calls = Array.from({ length: atOnce }, () => stage.perform(stage.newProcess(), call));
    const all = await Promise.all(calls);
    for (const answer of all) answers.add(stage.plain(answer));
    return all[0];
  });
  t.deepEqual(together, calm, 'several at once');
  t.is(answers.size, 1, 'several at once are answered the same');

  for (const fate of fates()) {
    const what = `died in write ${fate.writesLeft + 1}, done ${fate.lastIsDone}`;
    const mended = await play(database, scenario, async (stage, call) => {
      const dying = under(fate, () => stage.perform(stage.newProcess(), call));
      const answer = await dying.catch((error: unknown) => {
        if (!fate.isDead && !(error instanceof Killed)) throw error;
      });
      return fate.isDead ? await stage.perform(stage.newProcess(), call) : answer;
    });
    t.deepEqual(mended, calm, what);
    if (!fate.isDead) break;
  }
  return maxWrites - counting.writesLeft;
}

/** Dying in one write after the other, each not done and done; without an end. */
export function* fates(): Generator<Fate> {
  for (const place of places()) yield dyingAfter(Math.floor(place / 2), place % 2 === 1);
}

/** Plays a scenario on a stage of its own. @returns what it came to, comparable with another stage's */
async function play(
  database: Database,
  scenario: Scenario,
  act: (stage: Stage, call: Call) => Promise<unknown>,
) {
  const stage = await openStage(database);
  const call = await scenario(stage);
  stage.told.clear();
  stage.mails.clear();
  const answer = stage.plain(await act(stage, call));
  // A word to a purchase's workflow may be lost: what it is about is marked, and swept.
  const kept = [...stage.told].filter((text) => !isSignal(text));
  const said = [...kept, ...stage.mails].map((text) => stage.plain(text)).toSorted();
  return { answer, said, stored: await stage.stored() };
}

const signals: ReadonlySet<string> = new Set(Object.values(purchaseSignals));
const isSignal = (told: string): boolean => signals.has(JSON.parse(told)[0]);
