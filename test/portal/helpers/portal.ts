import type { AddressInfo } from 'node:net';
import { close, listen } from '../../../http/listen.ts';
import { isMail, type Mail, type TextMessage } from '../../../messaging/message.ts';
import { type Config, loadConfig } from '../../../platform/config.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createPortal, uploadTimeoutMs } from '../../../portal/app.ts';
import type { PortalDeps } from '../../../portal/deps.ts';
import type { Route } from '../../../portal/routing/route.ts';
import type { Routes } from '../../../portal/routing/route-table.ts';
import type { ThrottleLimits } from '../../../portal/session/throttle.ts';
import type { Service } from '../../helpers/service.ts';

export interface TestPortal {
  url: string;
  deps: PortalDeps;
  table: readonly Route[];
  /** What it sent, the oldest first. */
  mails: Mail[];
  texts: TextMessage[];
  /** Moves the portal's clock. */
  setClockOffsetMs(offsetMs: number): void;
  stop(): Promise<void>;
}

/**
 * A portal in front of a running service, with some of its dependencies changed.
 * @param limits of what may be tried; without them one address, where all tests come from, may try all
 * @param addMorePages declares pages that a test is about
 */
export async function startPortal(
  service: Service,
  changes: Partial<PortalDeps> = {},
  limits: Partial<ThrottleLimits> = { address: 100_000, unknownLinks: 100_000 },
  addMorePages: (routes: Routes) => void = () => undefined,
): Promise<TestPortal> {
  const { config, models, ledger, usage, messenger, starter, temporal, sealer } = service;
  const mails: Mail[] = [];
  const texts: TextMessage[] = [];
  let clockOffsetMs = 0;
  const deps: PortalDeps = {
    ...{ config, models, ledger, usage, messenger, starter, temporal, sealer },
    sendMessage: async (message) => {
      if (isMail(message)) mails.push(message);
      else texts.push(message);
    },
    apiUrl: service.baseUrl,
    log: createLogger('test', config.log),
    now: () => Date.now() + clockOffsetMs,
    ...changes,
  };
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
