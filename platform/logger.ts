import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import { isTracing, traceFields } from './tracing.ts';

export type { Logger };

/**
 * Structured logs on standard output. Callers choose each field they log; the redaction is only a
 * second line of defense.
 */
export function createLogger(service: string, config: Config['log']): Logger {
  return pino(
    {
      level: config.level,
      base: { service },
      ...(isTracing() && { mixin: traceFields }),
      redact: {
        paths: [
          'secret',
          'signature',
          'email',
          'phone',
          'token',
          'authorization',
          '*.secret',
          '*.signature',
          '*.email',
          '*.phone',
          '*.token',
          '*.authorization',
        ],
        censor: '[redacted]',
      },
    },
    standardOutput(),
  );
}

let blocks: DestinationStream | undefined;

/**
 * One stream for all loggers of a process: each further one would make a system call four times a
 * second, even when nothing is logged.
 */
function standardOutput(): DestinationStream {
  blocks ??= inBlocks();
  return blocks;
}

const blockBytes = 65_536;
const flushEveryMs = 250;
/** How much is buffered while nothing can be written. */
const maxWaitingBytes = 4 * 1024 * 1024;

/**
 * Buffers lines so that a busy process writes many of them with one system call; a process that
 * ends writes what is left. Lines are buffered as bytes, which pino's types lack: as text, the
 * whole block would be scanned for every line. While nothing can be written, because the disk is
 * full, the process continues: lines are buffered, those beyond the limit are dropped, and their
 * number is logged once writing succeeds again.
 */
function inBlocks(): DestinationStream {
  const blocks = pino.destination({
    sync: false,
    contentMode: 'buffer',
    minLength: blockBytes,
    maxWrite: 2 * blockBytes,
    periodicFlush: flushEveryMs,
    maxLength: maxWaitingBytes,
  });
  let dropped = 0;
  let isFull = false;
  const write = (line: string) => void blocks.write(Buffer.from(line) as never);
  blocks.on('error', () => {
    isFull = true;
  });
  blocks.on('drop', () => {
    dropped += 1;
  });
  blocks.on('write', () => {
    isFull = false;
    if (dropped === 0) return;
    const line = { level: 50, time: Date.now(), dropped, msg: 'the log could not be written' };
    dropped = 0;
    write(`${JSON.stringify(line)}\n`);
  });
  const { flushSync } = blocks;
  // On exit, it would otherwise retry forever.
  blocks.flushSync = () => {
    if (!isFull) flushSync.call(blocks);
  };
  return { write };
}
