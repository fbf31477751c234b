import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { LoggedCheckpoint } from '../models/audit/index.ts';

/**
 * The checkpoints in a log: in the file of `AUDIT_LOG`, or among the lines of the worker's log, also
 * behind what a collector of logs puts before each.
 * @throws Error when the file cannot be read, or holds none: then it proves nothing
 */
export async function* readCheckpointLog(file: string): AsyncGenerator<LoggedCheckpoint> {
  let line = 0;
  let found = 0;
  for await (const text of createInterface({
    input: createReadStream(file),
    crlfDelay: Infinity,
  })) {
    line += 1;
    const checkpoint = checkpointIn(text);
    if (checkpoint === undefined) continue;
    found += 1;
    yield { line, checkpoint };
  }
  if (found === 0) throw new Error(`${file} contains no checkpoint of an audit`);
}

/** What it holds is as it was written only if its hash says so; that is the audit's to find out. */
function checkpointIn(text: string): LoggedCheckpoint['checkpoint'] | undefined {
  if (!text.includes('"checkpoint"')) return undefined;
  try {
    const { checkpoint } = JSON.parse(text.slice(text.indexOf('{')));
    if (typeof checkpoint !== 'object' || checkpoint === null) return undefined;
    return { ...checkpoint, seenAt: new Date(checkpoint.seenAt) };
  } catch {
    // Cut off where a process died: what it was about to keep, it did not.
    return undefined;
  }
}
