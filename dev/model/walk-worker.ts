import { parentPort, workerData } from 'node:worker_threads';
import { compile, type IrModule } from './compile.ts';
import type { ModelState } from './state.ts';
import { type Walk, walk } from './walk.ts';

/** A thread's share: every `stride`-th walk from `seed` on, until it is stopped. */
export interface WalkTask {
  module: IrModule;
  fault: string;
  seed: number;
  stride: number;
  length: number;
  /** The number of walks after which it stops by itself. */
  most: number;
}

/** A thread's progress report: the walks so far, and the first one that broke something. */
export interface WalkProgress {
  walks: number;
  steps: number;
  broken: Walk | null;
  isDone: boolean;
}

/** Walks between two progress reports. */
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
