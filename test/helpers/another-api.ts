import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app.ts';
import type { ApiDeps } from '../../api/deps.ts';
import { createIntegrationEventBuffer } from '../../api/integration-event-buffer.ts';
import { close, listen } from '../../api/listen.ts';
import { createLogger } from '../../platform/logger.ts';
import type { Service } from './service.ts';

/**
 * One more API in front of a running service: as a second process would be, or with one of its
 * dependencies changed.
 */
export async function startAnotherApi(service: Service, changes: Partial<ApiDeps> = {}) {
  const { config, models, ledger, usage, messenger, starter, temporal, sealer } = service;
  const log = createLogger('test', config.log);
  const now = Date.now;
  const own = { config, models, ledger, usage, messenger, starter, temporal, sealer, log, now };
  const deps: ApiDeps = { ...own, ...changes };
  const integrationEventBuffer = createIntegrationEventBuffer(deps);
  const server = await listen(createApp(deps, integrationEventBuffer), '127.0.0.1', 0);
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      await close(server);
      await integrationEventBuffer.flush();
    },
  };
}
