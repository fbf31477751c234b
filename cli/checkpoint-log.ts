import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { LoggedCheckpoint } from '../models/audit/index.ts';

/**
 * Reads the checkpoints from a log: the file of `AUDIT_LOG`, or the worker's log, also with the prefixes
 * that log collectors add to lines.
 * @throws Error if the file cannot be read, or contains no checkpoint and so proves nothing
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

/** The checkpoint in a line, undefined without one. The audit verifies its hash. */
function checkpointIn(text: string): LoggedCheckpoint['checkpoint'] | undefined {
  if (!text.includes('"checkpoint"')) return undefined;
  try {
    const { checkpoint } = JSON.parse(text.slice(text.indexOf('{')));
    if (typeof checkpoint !== 'object' || checkpoint === null) return undefined;
    return { ...checkpoint, seenAt: new Date(checkpoint.seenAt) };
  } catch {
    // The process died while writing the line, and so never stored the checkpoint.
    return undefined;
  }
}
