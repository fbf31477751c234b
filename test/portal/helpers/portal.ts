import type { AddressInfo } from 'node:net';
import { close, listen } from '../../../http/listen.ts';
import { isMail, type Mail, type TextMessage } from '../../../messaging/message.ts';
import { type Config, loadConfig } from '../../../platform/config.ts';
import { createLogger } from '../../../platform/logger.ts';
import type { PortalDeps } from '../../../portal/deps.ts';
import type { Route } from '../../../portal/routing/route.ts';
import type { Routes } from '../../../portal/routing/route-table.ts';
import type { ThrottleLimits } from '../../../portal/session/throttle.ts';
import type { Service } from '../../helpers/service.ts';

/** A portal that a test asks, and what its process has. */
export interface SomePortal {
  url: string;
  deps: PortalDeps;
}

/** A portal of a test's own. */
export interface TestPortal extends SomePortal {
  table: readonly Route[];
  /** What it sent, the oldest first. */
  mails: Mail[];
  texts: TextMessage[];
  /** Moves the portal's clock. */
  setClockOffsetMs(offsetMs: number): void;
  stop(): Promise<void>;
}

/** What a process of a service has for a portal. */
function depsOf(service: Service): PortalDeps {
  const { config, models, ledger, usage, sealer, sendMessage } = service;
  return {
    ...{ config, models, ledger, usage, sealer, sendMessage },
    // Not before they are asked for: to reach Temporal takes a file as long to load as all the rest.
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

/** The portal of a running service, for a file that changes nothing about it: it need not load one. */
export async function portalOf(service: Service): Promise<SomePortal> {
  return { url: await service.portalUrl(), deps: depsOf(service) };
}

/**
 * A portal of its own in front of a running service, with some of its dependencies changed.
 * @param limits of what may be tried; without them one address, where all tests come from, may try all
 * @param addMorePages declares pages that a test is about
 */
export async function startPortal(
  service: Service,
  changes: Partial<PortalDeps> = {},
  limits: Partial<ThrottleLimits> = { address: 100_000, unknownLinks: 100_000 },
  addMorePages: (routes: Routes) => void = () => undefined,
): Promise<TestPortal> {
  const mails: Mail[] = [];
  const texts: TextMessage[] = [];
  let clockOffsetMs = 0;
  const deps: PortalDeps = {
    ...depsOf(service),
    sendMessage: async (message) => {
      if (isMail(message)) mails.push(message);
      else texts.push(message);
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
    texts,
    setClockOffsetMs(offsetMs) {
      clockOffsetMs = offsetMs;
    },
    stop: () => close(server),
  };
}

/** The configuration of a service, some of its variables changed, for a portal in front of it. */
export const configOf = ({ env }: Service, changes: Record<string, string>): Config =>
  loadConfig({ ...env, ...changes });
