import { stopAllGuarded } from './guarded.ts';

/**
 * Resolves on the first Ctrl-C, SIGTERM or SIGHUP, or when the process that started us is gone. From
 * the first call on a further signal does nothing, so that an impatient second Ctrl-C cannot break
 * an orderly stop.
 */
export function untilStopped(): Promise<undefined> {
  return new Promise((resolve) => {
    const stop = (): void => resolve(undefined);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    if (process.channel) process.on('disconnect', stop);
  });
}

/** Stops every child in order, then ends this process. */
export async function leave(code: number): Promise<never> {
  await stopAllGuarded();
  process.exit(code);
}

/**
 * Does the work, and leaves in order when it fails (with its message, exit code 1) or when a stop
 * comes first.
 */
export async function orderly<T>(
  stopped: Promise<undefined>,
  work: () => Promise<T>,
  stoppedCode = 0,
): Promise<T> {
  const interrupted = Symbol('interrupted');
  try {
    const result = await Promise.race([work(), stopped.then(() => interrupted)]);
    if (result === interrupted) return await leave(stoppedCode);
    return result as T;
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
    return await leave(1);
  }
}
