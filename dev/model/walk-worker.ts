import { parentPort, workerData } from 'node:worker_threads';
import { compile, type IrModule } from './compile.ts';
import type { ModelState } from './state.ts';
import { type Walk, walk } from './walk.ts';

/** What a thread is given: from `seed` on, every `stride`-th walk, until somebody stops it. */
export interface WalkTask {
  module: IrModule;
  fault: string;
  seed: number;
  stride: number;
  length: number;
  /** After so many walks it stops by itself. */
  most: number;
}

/** What a thread says now and then: how far it came, and the first walk that broke something. */
export interface WalkProgress {
  walks: number;
  steps: number;
  broken: Walk | null;
  isDone: boolean;
}

/** So many walks between two words to whoever started the thread. */
const batch = 50;

if (parentPort !== null) {
  const { module, fault, seed, stride, length, most } = workerData as WalkTask;
  const machine = compile<ModelState>(module, { FAULT: fault });
  for (let done = 0, next = seed, isDone = false; !isDone; ) {
    let broken: Walk | null = null;
    let steps = 0;
    let walks = 0;
    for (; walks < batch && broken === null && done < most; walks++, done++, next += stride) {
      const one = walk(machine, next, length);
      steps += one.steps;
      if (one.broken !== null) broken = one;
    }
    isDone = broken !== null || done >= most;
    parentPort.postMessage({ walks, steps, broken, isDone } satisfies WalkProgress);
  }
}
