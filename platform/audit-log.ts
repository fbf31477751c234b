import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from './logger.ts';

/** What is written outside the database, each with the name of its field in a line. */
export type RecordKind = 'checkpoint' | 'treeHead' | 'signingKey';

/** Writes records of one kind outside the database. @throws Error if that fails */
export type AuditLog = (kind: RecordKind, records: readonly (object | string)[]) => Promise<void>;

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
  return async (kind, records) =>
    appendLines(
      file,
      records.map((record) => ({ [kind]: record })),
    );
}

/** The size at which a file gets its final name, and the next lines a new file. */
const fullBytes = 64 * 1024 * 1024;

/**
 * Appends each record as a line of JSON, and flushes them to disk. Several processes may write to one file. A file that is full
 * is renamed, with the time in its name, and never deleted.
 * @throws Error if that fails
 */
export async function appendLines(
  file: string,
  records: readonly object[],
  { fullAt = fullBytes }: { fullAt?: number } = {},
): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  // Of two processes that find it full, the second renames what the first has just begun, or nothing.
  if (size >= fullAt) await rename(file, fullName(file)).catch(ifMissing);
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  await appendFile(file, lines.join(''), { mode: 0o600, flush: true });
}

const fullName = (file: string): string =>
  `${file}.${new Date().toISOString().replaceAll(/[-:]/g, '')}-${process.pid}`;

function ifMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
