import threads from 'node:worker_threads';

const preload = new URL('./lean-workflow-thread.mjs', import.meta.url).href;

/**
 * Starts the threads that run workflows without two things that cost more than the workflows do
 * (docs/decisions/013): Node's promise hooks, and a watchdog for calls that run no code of ours.
 * `WORKFLOW_STACKS=on` leaves the threads as the SDK has them, so that the Temporal UI shows call stacks.
 *
 * To be called before the SDK makes its first worker.
 */
export function useLeanWorkflowThreads(): void {
  if (process.env.WORKFLOW_STACKS === 'on') return;
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options: threads.WorkerOptions = {}) {
      super(file, { ...options, execArgv: ['--import', preload] });
    }
  };
}
