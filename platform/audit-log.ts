import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from './logger.ts';

/**
 * Writes the checkpoints of audits outside the database, as one line of JSON each.
 * @param file appended to and flushed to disk; without it, the lines go to the log of the process,
 *   at whatever level that is
 * @throws Error if the file cannot be written
 */
export function createAuditLog<Checkpoint extends object>(
  file: string | undefined,
  log: Logger,
): (checkpoints: readonly Checkpoint[]) => Promise<void> {
  if (file === undefined) {
    // A silent logger, as in tests, stays silent.
    const always = log.level === 'silent' ? log : log.child({}, { level: 'info' });
    return async (checkpoints) => {
      for (const checkpoint of checkpoints) always.info({ checkpoint }, 'audit checkpoint');
    };
  }
  return async (checkpoints) => {
    await mkdir(dirname(file), { recursive: true });
    const lines = checkpoints.map((checkpoint) => `${JSON.stringify({ checkpoint })}\n`);
    await appendFile(file, lines.join(''), { mode: 0o600, flush: true });
  };
}
