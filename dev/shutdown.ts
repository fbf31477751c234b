import { stopAllProcesses } from './managed-process.ts';

/**
 * Resolves on the first SIGINT, SIGTERM or SIGHUP, or when the parent process is gone. Later signals are
 * ignored, so that a second Ctrl-C does not interrupt the shutdown.
 */
export function shutdownRequested(): Promise<undefined> {
  return new Promise((resolve) => {
    const stop = (): void => resolve(undefined);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    if (process.channel) process.on('disconnect', stop);
  });
}

/** Stops all child processes, then exits. */
export async function shutDown(code: number): Promise<never> {
  await stopAllProcesses();
  process.exit(code);
}

/**
 * Runs the work to its end. Shuts down with exit code 1 and the error's message if it fails, and with
 * `stoppedCode` if a shutdown is requested first.
 */
export async function runUntilShutdown<T>(
  stopped: Promise<undefined>,
  work: () => Promise<T>,
  stoppedCode = 0,
): Promise<T> {
  const interrupted = Symbol('interrupted');
  try {
    const result = await Promise.race([work(), stopped.then(() => interrupted)]);
    if (result === interrupted) return await shutDown(stoppedCode);
    return result as T;
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
    return await shutDown(1);
  }
}
