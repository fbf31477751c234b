import type { Connection } from '@temporalio/client';
import test from 'ava';
import { connectTemporal } from '../../temporal/connection.ts';

test('a client tries again every few seconds, however long Temporal has been away', (t) => {
  const client = connectTemporal({
    address: '127.0.0.1:1',
    namespace: 'default',
    taskQueue: 'events',
    uiUrl: undefined,
    tls: false,
    apiKey: undefined,
    serverName: undefined,
    files: { ca: undefined, certificate: undefined, key: undefined },
  } as unknown as Parameters<typeof connectTemporal>[0]);
  const { channelArgs } = (client.connection as Connection).options;
  t.true(Number(channelArgs['grpc.max_reconnect_backoff_ms']) <= 5_000);
});
