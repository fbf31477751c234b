import { Client, Connection } from '@temporalio/client';
import { searchAttributes } from '../domain/workflow-names.ts';
import type { Config } from '../platform/config.ts';

/** Temporal's number for the type Keyword. */
const keyword = 2;
const alreadyExists = 6;

/**
 * A client that connects when it is first used, so that a process starts, and reports itself
 * unready, while Temporal is away.
 */
export function connectTemporal(config: Config['temporal']): Client {
  const connection = Connection.lazy({
    address: config.address,
    tls: config.tls,
    ...(config.apiKey !== undefined && { apiKey: config.apiKey }),
  });
  return new Client({ connection, namespace: config.namespace });
}

/**
 * Registers the search attributes, one by one, so that a repeat, or a newer one joining, is harmless.
 * @param address `host:port` of the Temporal frontend
 */
export async function registerSearchAttributes(
  address: string,
  namespace: string,
  security: Partial<Pick<Config['temporal'], 'tls' | 'apiKey'>> = {},
): Promise<void> {
  const connection = await Connection.connect({
    address,
    tls: security.tls ?? false,
    ...(security.apiKey !== undefined && { apiKey: security.apiKey }),
  });
  try {
    for (const name of Object.values(searchAttributes)) {
      try {
        await connection.operatorService.addSearchAttributes({
          namespace,
          searchAttributes: { [name]: keyword },
        });
      } catch (error) {
        if ((error as { code?: unknown }).code !== alreadyExists) throw error;
      }
    }
  } finally {
    await connection.close();
  }
}
