import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { searchAttributes } from '../domain/workflow-names.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { createSecurityWatch, lingerMs, readSecurity, type Security } from './security.ts';
import { clientInterceptors } from './tracing.ts';

/** Temporal's number for the search attribute type Keyword. */
const keyword = 2;
const alreadyExists = 6;
const notFound = 5;
/** A new namespace takes a moment to become known to every part of the server. */
const namespacePatienceMs = 15_000;

/**
 * A client that connects on first use, so that a process can start, and report itself unready,
 * while Temporal is unavailable. Certificates and API keys that are replaced in their files are
 * used within `everyMs`, by a new connection.
 * @param watching the log for warnings about unusable files, and how often files are checked
 * @throws Error if one of these files cannot be used
 */
export function connectTemporal(
  config: Config['temporal'],
  watching: { log?: Pick<Logger, 'warn'>; everyMs?: number } = {},
): Client {
  return new Client({
    connection: connectionOf(config, { log: silent, ...watching }),
    namespace: config.namespace,
    interceptors: clientInterceptors(),
  });
}

/** For commands, which end before a file changes. */
const silent: Pick<Logger, 'warn'> = { warn: () => undefined };

function connectionOf(
  config: Config['temporal'],
  watching: { log: Pick<Logger, 'warn'>; everyMs?: number },
): Connection {
  const security = readSecurity(config);
  const open = (by: Security) => Connection.lazy({ address: config.address, ...by });
  let current = open(security);
  const changed = createSecurityWatch(config, security, watching);
  const latest = (): Connection => {
    const next = changed();
    if (next) {
      const old = current;
      current = open(next);
      setTimeout(() => void old.close(), lingerMs).unref();
    }
    return current;
  };
  return new Proxy(current, {
    get(_first, name) {
      const connection = latest();
      const value = Reflect.get(connection, name, connection);
      return typeof value === 'function' ? value.bind(connection) : value;
    },
  });
}

/**
 * Registers the search attributes, one by one, so that it can be repeated and new ones can be
 * added.
 * @param address `host:port` of the Temporal frontend
 */
export async function registerSearchAttributes(
  address: string,
  namespace: string,
  security: Security = { tls: false },
): Promise<void> {
  const connection = await Connection.connect({ address, ...security });
  try {
    const deadlineMs = performance.now() + namespacePatienceMs;
    for (const name of Object.values(searchAttributes)) {
      for (;;) {
        try {
          await connection.operatorService.addSearchAttributes({
            namespace,
            searchAttributes: { [name]: keyword },
          });
          break;
        } catch (error) {
          const { code } = error as { code?: unknown };
          if (code === alreadyExists) break;
          if (code !== notFound || performance.now() > deadlineMs) throw error;
          await delay(500);
        }
      }
    }
  } finally {
    await connection.close();
  }
}
