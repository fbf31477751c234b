import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import test from 'ava';
import { startLink } from '../../../dev/prove-failover/link.ts';

test('data crosses a slow, lossy link complete and in order, in both directions', async (t) => {
  const echo = createServer((socket) => socket.pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const link = await startLink((echo.address() as AddressInfo).port);
  t.teardown(() => {
    link.stop();
    echo.close();
  });
  link.worsen({ delayMs: 2, lostShare: 0.05 });
  const socket = connect(link.port, '127.0.0.1');
  const lines = Array.from({ length: 60 }, (_, nth) => `line ${nth}\n`);
  for (const [nth, line] of lines.entries()) {
    // The last third is sent on the mended link, and must not overtake data that is still delayed.
    if (nth === 40) link.mend();
    socket.write(line);
    await new Promise((resolve) => setImmediate(resolve));
  }
  let received = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    received += chunk;
    if (received.length >= lines.join('').length) break;
  }
  t.is(received, lines.join(''));
});
