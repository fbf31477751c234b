import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from './logger.ts';

/** What is written outside the database, each with the name of its field in a line. */
export type Noted = 'checkpoint' | 'treeHead' | 'signingKey';

/** Writes records of one kind outside the database. @throws Error if that fails */
export type AuditLog = (kind: Noted, records: readonly (object | string)[]) => Promise<void>;

/**
 * Writes what proves that the database was not replaced or rewritten, outside of it, as one line of JSON each.
 * @param file appended to and flushed to disk; without it, the lines go to the log of the process,
 *   at whatever level that is
 */
export function createAuditLog(file: string | undefined, log: Logger): AuditLog {
  if (file === undefined) {
    // A silent logger, as in tests, stays silent.
    const always = log.level === 'silent' ? log : log.child({}, { level: 'info' });
    return async (kind, records) => {
      for (const record of records) always.info({ [kind]: record }, `audit log: ${kind}`);
    };
  }
  return async (kind, records) => {
    await mkdir(dirname(file), { recursive: true });
    const lines = records.map((record) => `${JSON.stringify({ [kind]: record })}\n`);
    await appendFile(file, lines.join(''), { mode: 0o600, flush: true });
  };
}
