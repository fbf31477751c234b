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

/**
 * A busy process writes many lines with one call of the system; what ends by itself writes all it has.
 * Lines are gathered as bytes, which its types do not know of: gathered as text, the whole block is gone
 * through with every line.
 */
function inBlocks(): DestinationStream {
  const blocks = pino.destination({
    sync: false,
    contentMode: 'buffer',
    minLength: blockBytes,
    maxWrite: 2 * blockBytes,
    periodicFlush: flushEveryMs,
  });
  return { write: (line) => void blocks.write(Buffer.from(line) as never) };
}
