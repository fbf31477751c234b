import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A load balancer for several equal processes: connections go round-robin, skipping processes that do not
 * listen.
 * @param ports of the processes
 * @returns the port of the balancer
 */
export async function startBalancer(ports: readonly number[]): Promise<number> {
  let turn = 0;
  const server = createServer(async (client) => {
    client.on('error', () => client.destroy());
    client.pause();
    turn += 1;
    for (let tried = 0; tried < ports.length; tried++) {
      const upstream = await reach(ports[(turn + tried) % ports.length] ?? 0);
      if (!upstream) continue;
      upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('close', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
      return;
    }
    await delay(100);
    client.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

/** @returns undefined if nothing listens */
function reach(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}
