import type { Machine } from './compile.ts';
import { randomOf } from './random.ts';
import type { ModelState } from './state.ts';

/** The invariants that hold in every state; reward.qnt explains them. */
export const invariants = ['money', 'lawful', 'once', 'answers', 'watched', 'settles'] as const;
export type Invariant = (typeof invariants)[number];

export interface Walk {
  seed: number;
  steps: number;
  /** The invariant that its last state breaks. */
  broken: Invariant | null;
}

/** One random walk through the model, checked after each step. The same seed gives the same walk. */
export function walk(
  machine: Machine<ModelState>,
  seed: number,
  length: number,
  look: (state: ModelState) => void = () => undefined,
): Walk {
  const random = randomOf(seed);
  let state = machine.init(random);
  look(state);
  let steps = 0;
  // Sometimes nothing happens: every possible action's dice said no.
  for (let turn = 0; turn < length; turn++) {
    const next = machine.step(state, random);
    if (next === undefined) continue;
    state = next;
    steps += 1;
    look(state);
    const broken = invariants.find((one) => !machine.holds(one, state));
    if (broken !== undefined) return { seed, steps, broken };
  }
  return { seed, steps, broken: null };
}

export function transcriptOf(machine: Machine<ModelState>, seed: number, length: number): string {
  const lines: string[] = [];
  const { broken } = walk(machine, seed, length, (state) => lines.push(lineOf(state)));
  return [...lines, broken === null ? 'nothing is broken' : `broken: ${broken}`].join('\n');
}

function lineOf({ did, procs, reward, events, wf, ledger, time }: ModelState): string {
  const who = did.who < 0 ? '' : ` ${did.who}`;
  const at = procs[did.who]?.pc;
  const answers = Object.entries(events)
    .filter(([, one]) => one.exists)
    .map(([q, one]) => `${q}${one.marked ? '*' : ''}=${one.answer || '?'}`);
  return [
    `${did.what}${who}${at ? ` → ${at}` : ''}`.padEnd(26),
    `t${time} ${reward.exists ? reward.status : '-'} v${reward.moves.length}/${reward.carriedOut}${reward.marked ? '*' : ''}`,
    `workflow ${wf.open ? wf.awaits || 'waits' : 'closed'}${wf.woken ? '*' : ''}`,
    answers.join(' '),
    ledger.refs.join(' '),
  ].join('  |  ');
}
