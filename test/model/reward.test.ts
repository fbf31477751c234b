import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { compile } from '../../dev/model/compile.ts';
import { faults } from '../../dev/model/faults.ts';
import { stateOfItf } from '../../dev/model/itf.ts';
import { modelFile, parseModel, quint } from '../../dev/model/quint.ts';
import type { ModelState } from '../../dev/model/state.ts';
import { walk } from '../../dev/model/walk.ts';

const length = 200;
const walks = 200;
const module = await parseModel();
const design = compile<ModelState>(module, { FAULT: 'NONE' });

test('under any failures, repeats and concurrency, all invariants hold', (t) => {
  const statuses = new Set<string>();
  const moves = new Set<string>();
  let steps = 0;
  for (let seed = 1; seed <= walks; seed++) {
    const one = walk(design, seed, length, ({ reward }) => {
      statuses.add(reward.status);
      for (const { on } of reward.moves) moves.add(on);
    });
    t.is(one.broken, null, `seed ${seed}`);
    steps += one.steps;
  }
  t.true(steps > 5_000, `${steps} steps`);
  // The walks reach every status and include every move.
  t.deepEqual([...statuses].sort(), [
    'ADMIN_REVIEW',
    'AVAILABLE',
    'AWAITING_FUNDING',
    'CANCELLED',
    'EXPIRED',
    'PENDING',
  ]);
  const all = ['CANCEL', 'CLAIM', 'DISMISS', 'EXPIRE', 'FUND', 'REFUND', 'RUN_SHORT', 'UPHOLD'];
  t.deepEqual([...moves].sort(), all);
});

for (const { name, words, seed } of faults) {
  test(`the model detects a mistake: ${words}`, (t) => {
    t.not(walk(compile<ModelState>(module, { FAULT: name }), seed, length).broken, null);
    // The same walk without the mistake breaks no invariant.
    t.is(walk(design, seed, length).broken, null);
  });
}

test("the compiled model takes the same steps as Quint's own interpreter", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'model-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const out = join(folder, 'trace_{seq}.itf.json');
  const main = ['--main', 'design', '--max-samples', '2', '--n-traces', '2', '--max-steps', '30'];
  await quint(
    ...['run', join(modelFile, '..', 'design.qnt'), '--backend', 'typescript', '--seed', '7'],
    ...[...main, '--verbosity', '0', '--out-itf', out],
  );
  let compared = 0;
  for (const file of await readdir(folder)) {
    const { states } = JSON.parse(await readFile(join(folder, file), 'utf8'));
    const trace = (states as Record<string, unknown>[]).map(stateOfItf) as ModelState[];
    for (const [place, after] of trace.entries()) {
      const before = trace[place - 1];
      if (before === undefined) continue;
      const isPossible = design.successors(before).some((one) => isDeepStrictEqual(one, after));
      t.true(isPossible, `${after.did.what} in ${file}`);
      compared += 1;
    }
  }
  t.true(compared >= 40, `${compared} steps compared`);
});
