import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LoggedCheckpoint, LoggedHead } from '../audit/index.ts';
import type { RecordKind } from '../platform/audit-log.ts';

/**
 * Reads the checkpoints from a log: the file of `AUDIT_LOG` or the folder with all of them, or the worker's log, also with
 * the prefixes that log collectors add to lines.
 * @throws Error if the file cannot be read, or contains no checkpoint and so proves nothing
 */
export async function* readCheckpointLog(file: string): AsyncGenerator<LoggedCheckpoint> {
  let found = 0;
  for await (const { line, record } of recordsIn(file, 'checkpoint')) {
    if (typeof record !== 'object' || record === null) continue;
    found += 1;
    // The audit verifies its hash.
    const checkpoint = record as LoggedCheckpoint['checkpoint'];
    yield { line, checkpoint: { ...checkpoint, seenAt: new Date(checkpoint.seenAt) } };
  }
  if (found === 0) throw new Error(`${file} contains no checkpoint of an audit`);
}

/** Reads the signed tree heads from the same log. @throws Error if the file cannot be read */
export async function* readTreeHeadLog(file: string): AsyncGenerator<LoggedHead> {
  for await (const { line, record } of recordsIn(file, 'treeHead')) {
    if (typeof record === 'string') yield { line, signed: record };
  }
}

async function* recordsIn(file: string, kind: RecordKind) {
  let line = 0;
  for (const one of await filesOf(file)) {
    for await (const text of createInterface({
      input: createReadStream(one),
      crlfDelay: Infinity,
    })) {
      line += 1;
      if (text.includes(`"${kind}"`)) yield { line, record: recordIn(text, kind) };
    }
  }
}

/** The file, or those in the folder, as if they were one. */
async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  return (await readdir(path)).toSorted().map((name) => join(path, name));
}

function recordIn(text: string, kind: RecordKind): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf('{')))[kind];
  } catch {
    // The process died while writing the line, and so stored nothing.
    return undefined;
  }
}
