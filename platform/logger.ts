import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import { isTracing, traceFields } from './tracing.ts';

export type { Logger };

/**
 * Structured logs on standard output. What is logged is chosen field by field where it is logged;
 * the redaction here is the second lock on the same door.
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
    config.format === 'pretty' ? pretty() : inBlocks(),
  );
}

const pretty = () =>
  pino.transport({
    target: 'pino-pretty',
    options: {
      ignore: 'pid,hostname,service',
      messageFormat: `{if service}[{service}] {end}{msg}`,
      translateTime: 'SYS:HH:MM:ss',
      singleLine: true,
    },
  });

const blockBytes = 65_536;
const flushEveryMs = 250;
/** What cannot be written waits up to here. */
const maxWaitingBytes = 4 * 1024 * 1024;

/**
 * A busy process writes many lines with one call of the system; what ends by itself writes all it has.
 * Lines are gathered as bytes, which its types do not know of: gathered as text, the whole block is gone
 * through with every line. Where nothing can be written, because the disk is full, the process goes on: lines
 * wait, those for which there is no room are dropped, and how many is logged once there is room again.
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
  // At the exit it would try for ever.
  blocks.flushSync = () => {
    if (!isFull) flushSync.call(blocks);
  };
  return { write };
}
