import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { Config } from '../platform/config.ts';
import { createEagerStart, type EagerStart } from '../temporal/eager-start.ts';
import { clientInterceptors } from '../temporal/tracing.ts';

/** Starts workflows on a worker's own connection. */
export const startingHere = (
  connection: NativeConnection,
  { namespace, taskQueue }: Pick<Config['temporal'], 'namespace' | 'taskQueue'>,
): EagerStart =>
  createEagerStart(
    new Client({ connection, namespace, interceptors: clientInterceptors() }),
    taskQueue,
  );
