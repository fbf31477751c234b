import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type CuttableProxy = Awaited<ReturnType<typeof startCuttableProxy>>;

/**
 * Starts a TCP proxy in front of a server, so that a test can make the server unavailable and available
 * again, or replace it.
 * @param target `host:port`
 */
export async function startCuttableProxy(target: string) {
  let [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  let state: 'whole' | 'cut' | 'silent' = 'whole';

  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  const server = createServer((client) => {
    track(client);
    if (state === 'cut') client.destroy();
    if (state !== 'whole') return;
    const upstream = track(connect(Number(port), host));
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Breaks all connections, and refuses new ones. */
    cut() {
      state = 'cut';
      dropAll();
    },
    /** Keeps all connections but transfers nothing, like a server that hangs. */
    silence() {
      state = 'silent';
      for (const socket of sockets) socket.unpipe();
    },
    /** Transfers data again, after closing all connections. */
    mend() {
      state = 'whole';
      dropAll();
    },
    /** Connects to another server after `mend`. */
    redirectTo(other: string) {
      [host = '', port = ''] = other.split(':');
    },
    async stop() {
      dropAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
