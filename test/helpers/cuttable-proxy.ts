import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type CuttableProxy = Awaited<ReturnType<typeof startCuttableProxy>>;

/**
 * A TCP proxy in front of a server, so that a test can take the server away and bring it back, or
 * another one in its place.
 * @param target `host:port`
 */
export async function startCuttableProxy(target: string) {
  let [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  let line: 'whole' | 'cut' | 'silent' = 'whole';

  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  const server = createServer((client) => {
    keep(client);
    if (line === 'cut') client.destroy();
    if (line !== 'whole') return;
    const upstream = keep(connect(Number(port), host));
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every connection breaks, and no new one comes about. */
    cut() {
      line = 'cut';
      dropAll();
    },
    /** Every connection stays, and nothing comes through: a server that hangs. */
    silence() {
      line = 'silent';
      for (const socket of sockets) socket.unpipe();
    },
    mend() {
      line = 'whole';
      dropAll();
    },
    /** Leads to another server once it is mended. */
    redirectTo(other: string) {
      [host = '', port = ''] = other.split(':');
    },
    async stop() {
      dropAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
