import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { searchAttributes } from '../domain/workflow-names.ts';
import type { Config } from '../platform/config.ts';
import { readSecurity, type Security } from './security.ts';
import { clientInterceptors } from './tracing.ts';

/** Temporal's number for the search attribute type Keyword. */
const keyword = 2;
const alreadyExists = 6;
const notFound = 5;
/** A new namespace takes a moment to become known to every part of the server. */
const namespacePatienceMs = 15_000;
/**
 * The longest pause between two attempts to reach Temporal. It doubles with each of them, by default up to two minutes, in
 * which a process would take a Temporal that is back for one that is down.
 */
const longestPauseMs = 5_000;

/**
 * A client that connects on first use, so that a process can start, and report itself unready,
 * while Temporal is unavailable.
 * @throws Error if a certificate or its key cannot be used
 */
export function connectTemporal(config: Config['temporal']): Client {
  return new Client({
    connection: Connection.lazy({
      address: config.address,
      channelArgs: { 'grpc.max_reconnect_backoff_ms': longestPauseMs },
      ...readSecurity(config),
    }),
    namespace: config.namespace,
    interceptors: clientInterceptors(),
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
