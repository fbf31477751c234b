/**
 * What Node is given to run the worker, in docker-compose.yml and package.json too. What a worker makes
 * lives for milliseconds: its two heaps with young generations of the usual size hold some 150 MB more
 * after a burst, and complete no more purchases a second.
 */
export const workerCommand = ['--max-semi-space-size=4', 'worker/worker.ts'];
