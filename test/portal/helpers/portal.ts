import type { AddressInfo } from 'node:net';
import { close, listen } from '../../../http/listen.ts';
import { isMail, type Mail } from '../../../messaging/message.ts';
import { type Config, loadConfig } from '../../../platform/config.ts';
import { createLogger } from '../../../platform/logger.ts';
import type { PortalDeps } from '../../../portal/deps.ts';
import type { Route } from '../../../portal/routing/route.ts';
import type { Routes } from '../../../portal/routing/route-table.ts';
import type { ThrottleLimits } from '../../../portal/session/throttle.ts';
import type { Service } from '../../helpers/service.ts';

/** A portal that a test sends requests to, and its dependencies. */
export interface SomePortal {
  url: string;
  deps: PortalDeps;
}

/** A portal in the test's own process. */
export interface TestPortal extends SomePortal {
  table: readonly Route[];
  /** The messages that it sent, the oldest first. */
  mails: Mail[];
  /** Moves the portal's clock. */
  setClockOffsetMs(offsetMs: number): void;
  stop(): Promise<void>;
}

/** A service's dependencies for a portal. */
function depsOf(service: Service): PortalDeps {
  const { config, models, commit, sealer, sendMessage } = service;
  return {
    config,
    models,
    commit,
    sealer,
    sendMessage,
    // On demand: loading the Temporal client takes as long as loading everything else.
    get messenger() {
      return service.messenger;
    },
    get temporal() {
      return service.temporal;
    },
    apiUrl: service.baseUrl,
    log: createLogger('test', config.log),
    now: Date.now,
  };
}

/** The portal of a running service. A file that does not reconfigure it need not load its own. */
export async function portalOf(service: Service): Promise<SomePortal> {
  return { url: await service.portalUrl(), deps: depsOf(service) };
}

/**
 * Starts a separate portal for a running service, with changed dependencies.
 * @param limits rate limits; by default high for one address, because all tests share it
 * @param addMorePages declares pages for the test
 */
export async function startPortal(
  service: Service,
  changes: Partial<PortalDeps> = {},
  limits: Partial<ThrottleLimits> = { address: 100_000, unknownLinks: 100_000 },
  addMorePages: (routes: Routes) => void = () => undefined,
): Promise<TestPortal> {
  const mails: Mail[] = [];
  let clockOffsetMs = 0;
  const deps: PortalDeps = {
    ...depsOf(service),
    sendMessage: async (message) => {
      if (isMail(message)) mails.push(message);
    },
    now: () => Date.now() + clockOffsetMs,
    ...changes,
  };
  const { createPortal, uploadTimeoutMs } = await import('../../../portal/app.ts');
  const { app, table } = createPortal(deps, limits, addMorePages);
  const server = await listen(app, '127.0.0.1', 0, { requestTimeout: uploadTimeoutMs });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deps,
    table,
    mails,
    setClockOffsetMs(offsetMs) {
      clockOffsetMs = offsetMs;
    },
    stop: () => close(server),
  };
}

/** The service's configuration with changed variables, for a portal. */
export const configOf = ({ env }: Service, changes: Record<string, string>): Config =>
  loadConfig({ ...env, ...changes });
