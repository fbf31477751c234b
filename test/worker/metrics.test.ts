import { once } from 'node:events';
import { createServer } from 'node:net';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import test from 'ava';
import { onFreeAddress } from '../../worker/metrics.ts';

async function aServer(): Promise<{ port: number; close(): void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as { port: number }).port, close: () => void server.close() };
}

test.serial('if another process takes the port first, the SDK gets another', async (t) => {
  const faster = await aServer();
  t.teardown(() => faster.close());
  let asked = 0;
  const address = await onFreeAddress(
    (bindAddress) =>
      void Runtime.install({
        logger: new DefaultLogger('ERROR'),
        telemetryOptions: { metrics: { prometheus: { bindAddress } } },
      }),
    async () => {
      asked += 1;
      if (asked === 1) return faster.port;
      const { port, close } = await aServer();
      close();
      return port;
    },
  );
  t.teardown(() => Runtime.instance().shutdown());
  t.true(asked > 1);
  t.not(address, `127.0.0.1:${faster.port}`);
  t.is((await fetch(`http://${address}/metrics`)).status, 200);
});

test('if every port fails, the error is thrown', async (t) => {
  let tried = 0;
  const take = (): void => {
    tried += 1;
    throw new Error('no port works');
  };
  await t.throwsAsync(
    onFreeAddress(take, async () => 1),
    { message: 'no port works' },
  );
  t.is(tried, 5);
});
