import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { IrModule } from './compile.ts';
import type { Walk } from './walk.ts';
import type { WalkProgress, WalkTask } from './walk-worker.ts';

/** The progress of some walks. */
export interface Walked {
  walks: number;
  steps: number;
  /** The first walk that broke something. */
  broken: Walk | null;
}

/**
 * Walks through the model on every core until something breaks, the time is up, or all walks are done.
 * @param until milliseconds since 1970
 * @param onProgress is called several times a second
 */
export async function walkAll(
  module: IrModule,
  task: Pick<WalkTask, 'fault' | 'seed' | 'length' | 'most'> & { until: number },
  onProgress: (walked: Walked) => void = () => undefined,
): Promise<Walked> {
  const walked: Walked = { walks: 0, steps: 0, broken: null };
  const threads = availableParallelism();
  const { until, seed, most, ...rest } = task;
  const workers = Array.from({ length: threads }, (_, place) => {
    const workerData: WalkTask = {
      module,
      ...rest,
      seed: seed + place,
      stride: threads,
      most: Math.ceil(most / threads),
    };
    return new Worker(new URL('./walk-worker.ts', import.meta.url), { workerData });
  });
  const stopAll = () => Promise.all(workers.map((one) => one.terminate()));
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((resolve, reject) => {
          worker.on('error', reject);
          worker.on('exit', () => resolve());
          worker.on('message', ({ walks, steps, broken, isDone }: WalkProgress) => {
            walked.walks += walks;
            walked.steps += steps;
            walked.broken ??= broken;
            onProgress(walked);
            if (walked.broken !== null || Date.now() > until) void stopAll();
            else if (isDone) resolve();
          });
        }),
    ),
  ).finally(stopAll);
  return walked;
}
