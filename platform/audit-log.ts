import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from './logger.ts';

/**
 * Where the audit writes down what it saw, outside the database: a line of JSON for each checkpoint.
 * @param file appended to, and flushed to the disk; where there is none, the lines go to the process's
 *   log, at whatever level that is
 * @throws Error when the file cannot be written
 */
export function createAuditLog<Checkpoint extends object>(
  file: string | undefined,
  log: Logger,
): (checkpoints: readonly Checkpoint[]) => Promise<void> {
  if (file === undefined) {
    // What is said to be silent is, such as in a test.
    const always = log.level === 'silent' ? log : log.child({}, { level: 'info' });
    return async (checkpoints) => {
      for (const checkpoint of checkpoints) always.info({ checkpoint }, 'checkpoint of the audit');
    };
  }
  return async (checkpoints) => {
    await mkdir(dirname(file), { recursive: true });
    const lines = checkpoints.map((checkpoint) => `${JSON.stringify({ checkpoint })}\n`);
    await appendFile(file, lines.join(''), { mode: 0o600, flush: true });
  };
}
