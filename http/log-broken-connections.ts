import type Koa from 'koa';
import type { Logger } from '../platform/logger.ts';

/** What Node calls a connection that ended, or said what is no HTTP, before it was answered. */
const brokenCode = /^(HPE_|ECONN|EPIPE|ERR_STREAM_)/;

/**
 * Logs what Koa would print on its own: a connection that broke while its request was answered, as a line
 * among the others; anything else is a fault of ours, since what middleware throws is answered.
 */
export function logBrokenConnections(app: Koa, log: Pick<Logger, 'info' | 'error'>): void {
  app.on('error', (error: NodeJS.ErrnoException, ctx?: Koa.Context) => {
    const requestId: unknown = ctx?.state.requestId;
    const { code } = error;
    if (code && brokenCode.test(code)) log.info({ requestId, code }, 'the connection broke');
    else log.error({ requestId, err: error }, 'a request failed outside of its answer');
  });
}
