import type { ExecutionContext } from 'ava';
import type { Activities } from '../../../activities/index.ts';
import { purchaseSignals } from '../../../domain/workflow-names.ts';
import { type Fate, Killed, under } from '../../helpers/faults.ts';
import type { Database, Process } from '../../helpers/processes.ts';
import { openStage, type Stage } from './stage.ts';

export type Call = (activities: Activities, process: Process) => Promise<unknown>;
/** Brings a stage to where an activity is called. @returns the call */
export type Story = (stage: Stage) => Promise<Call>;

const atOnce = 4;
/** No activity writes more often; one that seems to is in a loop. */
const maxWrites = 30;

/**
 * Holds an activity against its promise that a repeat is harmless: called twice in a row, called
 * several times at once, and dying in each of its writes before it is called again, it answers and
 * leaves what one undisturbed call does.
 * @returns how many writes it died in
 */
export async function holdsWhenRepeated(
  t: ExecutionContext,
  database: Database,
  story: Story,
): Promise<number> {
  const calm = await play(database, story, (stage, call) => stage.call(call));

  const twice = await play(database, story, async (stage, call) => {
    await stage.call(call);
    const before = await stage.stored();
    const answer = await stage.perform(stage.newProcess(), call);
    t.deepEqual(await stage.stored(), before, 'the second call changed something');
    return answer;
  });
  t.deepEqual(twice, calm, 'twice in a row');

  const answers = new Set<string>();
  const together = await play(database, story, async (stage, call) => {
    const calls = Array.from({ length: atOnce }, () => stage.perform(stage.newProcess(), call));
    const all = await Promise.all(calls);
    for (const answer of all) answers.add(stage.plain(answer));
    return all[0];
  });
  t.deepEqual(together, calm, 'several at once');
  t.is(answers.size, 1, 'several at once are answered the same');

  for (let writes = 0; writes < maxWrites; writes++) {
    for (const lastIsDone of [false, true]) {
      const fate: Fate = { writesLeft: writes, lastIsDone, isDead: false };
      const mended = await play(database, story, async (stage, call) => {
        const dying = under(fate, () => stage.perform(stage.newProcess(), call));
        const answer = await dying.catch((error: unknown) => {
          if (!fate.isDead && !(error instanceof Killed)) throw error;
        });
        return fate.isDead ? await stage.perform(stage.newProcess(), call) : answer;
      });
      t.deepEqual(mended, calm, `died in write ${writes + 1}, done ${lastIsDone}`);
      if (!fate.isDead) return writes;
    }
  }
  throw new Error(`it writes more than ${maxWrites} times`);
}

/** Plays a story on a stage of its own. @returns what it came to, comparable with another stage's */
async function play(
  database: Database,
  story: Story,
  act: (stage: Stage, call: Call) => Promise<unknown>,
) {
  const stage = await openStage(database);
  const call = await story(stage);
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
