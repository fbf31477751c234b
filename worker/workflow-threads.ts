import threads from 'node:worker_threads';

const preload = new URL('./lean-workflow-thread.mjs', import.meta.url).href;

/**
 * Starts workflow threads without two features that cost more than the workflows themselves
 * (docs/decisions/013): Node's promise hooks, and a watchdog for calls that run none of our code.
 * `WORKFLOW_STACKS=on` leaves the threads unchanged, so that the Temporal UI shows call stacks.
 *
 * To be called before the SDK creates its first worker.
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
