import threads from 'node:worker_threads';

const preload = new URL('./no-promise-hooks.mjs', import.meta.url).href;

/**
 * Starts the threads that run workflows without Node's promise hooks. With them the SDK notes a stack
 * trace for every promise that a workflow makes, for the call stack that the Temporal UI can show: more
 * than a third of what a workflow task cost here (docs/decisions/013). It goes without where Node has
 * no such hooks. What a workflow waits for is told by its current details and its `state` query.
 *
 * To be called before the SDK makes its first worker.
 */
export function withoutCallStacks(): void {
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options: threads.WorkerOptions = {}) {
      super(file, { ...options, execArgv: [...process.execArgv, '--import', preload] });
    }
  };
}
