import test from 'ava';
import { compile } from '../../dev/model/compile.ts';
import { parseModel } from '../../dev/model/quint.ts';
import type { ModelState } from '../../dev/model/state.ts';
import { walk } from '../../dev/model/walk.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { makeGated } from './helpers/gated.ts';
import { openReplay } from './helpers/replay.ts';

/** Seeds of walks that together include every kind of step; REPLAY_SEEDS replaces them. */
const seeds = (process.env.REPLAY_SEEDS ?? '79,613,70,13,21').split(',').map(Number);
const length = 120;

let database: Database;
test.before(async () => {
  database = await openDatabase();
  makeGated(database.models);
});
test.after.always(() => database?.close());

test("the service's own functions reproduce every step of the model", async (t) => {
  const machine = compile<ModelState>(await parseModel(), { FAULT: 'NONE' });
  const happened = new Set<string>();
  let steps = 0;
  for (const seed of seeds) {
    const trace: ModelState[] = [];
    walk(machine, seed, length, (state) => trace.push(state));
    const [first] = trace;
    if (first === undefined) throw new Error('the trace is empty');
    const replay = await openReplay(database, machine, first);
    for (const [place, to] of trace.entries()) {
      const from = trace[place - 1];
      if (from === undefined) continue;
      const { what, who } = to.did;
      const step = `seed ${seed}, step ${place}: ${what} ${who} (${from.procs[who]?.pc})`;
      const answer = await replay.step(from, to).catch((error: unknown) => {
        throw new Error(step, { cause: error });
      });
      if (answer !== undefined) t.deepEqual(to.replies[from.procs[who]?.q ?? 0], [answer], step);
      t.deepEqual(await replay.stored(), replay.expected(to), step);
      happened.add(what);
      steps += 1;
    }
    await replay.close();
  }
  t.true(steps > seeds.length * 20, `${steps} steps`);
  const everything = ['ASK', 'BEGIN', 'CARRY_OUT', 'CLAIM', 'DECIDE', 'EXPIRE', 'FOLLOW', 'WALLET'];
  if (process.env.REPLAY_SEEDS === undefined) {
    t.deepEqual(
      everything.filter((one) => !happened.has(one)),
      [],
    );
  }
});
