import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app.ts';
import type { ApiDeps } from '../../api/deps.ts';
import { createOperatorApp } from '../../api/operator-app.ts';
import { createRefusedRequestBuffer } from '../../api/refused-request-buffer.ts';
import { createRequestLog } from '../../api/request-log.ts';
import { close, listen } from '../../http/listen.ts';
import { createLogger } from '../../platform/logger.ts';
import type { Service } from './service.ts';

/** Shorter than usual, so that tests need not wait for a revocation. */
export const credentialCacheMs = 200;

/** Starts another API of a running service: a second process, or one with changed dependencies. */
export async function startAnotherApi(service: Service, changes: Partial<ApiDeps> = {}) {
  const deps: ApiDeps = { ...depsOf(service), ...changes };
  const requestLog = createRequestLog(deps);
  const refusedRequestBuffer = createRefusedRequestBuffer(deps);
  const server = await listen(createApp(deps, requestLog, refusedRequestBuffer), '127.0.0.1', 0);
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      await close(server);
      await requestLog.flush();
      await refusedRequestBuffer.flush();
    },
  };
}

/** Starts another operators' API of a running service, with changed dependencies. */
export async function startAnotherAdminApi(service: Service, changes: Partial<ApiDeps> = {}) {
  const deps: ApiDeps = { ...depsOf(service), ...changes };
  const server = await listen(createOperatorApp(deps), '127.0.0.1', 0);
  return {
    adminUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/admin/v1`,
    stop: () => close(server),
  };
}

function depsOf(service: Service): ApiDeps {
  const { config, models, commit, messenger, temporal, sealer, sendMessage } = service;
  const log = createLogger('test', config.log);
  const now = Date.now;
  const shared = { config, models, commit, messenger, temporal, sealer };
  return { ...shared, sendMessage, log, now, credentialCacheMs };
}
