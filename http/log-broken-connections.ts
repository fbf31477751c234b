import type Koa from 'koa';
import type { Logger } from '../platform/logger.ts';

/** Node's error codes for connections that broke, or did not carry valid HTTP, before the response. */
const brokenCode = /^(HPE_|ECONN|EPIPE|ERR_STREAM_|ERR_HTTP_REQUEST_TIMEOUT)/;

/**
 * Logs errors that Koa would otherwise print: a connection that broke during a response as information,
 * anything else as an error, because errors thrown by middleware are handled before they get here.
 */
export function logBrokenConnections(app: Koa, log: Pick<Logger, 'info' | 'error'>): void {
  app.on('error', (error: NodeJS.ErrnoException, ctx?: Koa.Context) => {
    const requestId: unknown = ctx?.state.requestId;
    const { code } = error;
    if (code && brokenCode.test(code)) log.info({ requestId, code }, 'the connection broke');
    else log.error({ requestId, err: error }, 'a request failed outside its middleware');
  });
}
