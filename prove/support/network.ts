import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

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
  return await listening(server);
}

/** @returns undefined if nothing listens */
function reach(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}

export type Link = Awaited<ReturnType<typeof startLink>>;

/** A connection through a link: its two ends, and the port of the member that opened it. */
interface Pair {
  ends: Socket[];
  openedBy: number | undefined;
}

/**
 * The network link to one member of a replica set, for the other members and the service alike. It can drop
 * everything that some members send while their connections stay open, as in a network partition.
 * @param targetPort the member's port
 */
export async function startLink(targetPort: number) {
  const pairs = new Set<Pair>();
  let dropped: readonly number[] = [];
  const isDropped = ({ openedBy }: Pair) => openedBy !== undefined && dropped.includes(openedBy);

  const keep = (pair: Pair, end: Socket): Socket => {
    pair.ends.push(end);
    const part = (): void => {
      for (const one of pair.ends) one.destroy();
      pairs.delete(pair);
    };
    return end.on('error', part).on('close', part);
  };
  const server = createServer((from) => {
    const pair: Pair = { ends: [], openedBy: undefined };
    pairs.add(pair);
    keep(pair, from).once('data', (hello) => {
      pair.openedBy = memberIn(hello);
      if (isDropped(pair)) return;
      const to = keep(pair, connect(targetPort, '127.0.0.1'));
      to.write(hello);
      from.pipe(to).pipe(from);
    });
  });

  return {
    port: await listening(server),
    /** @param members the ports of the members whose data is dropped */
    drop(members: readonly number[]): void {
      dropped = members;
      for (const pair of pairs) {
        if (!isDropped(pair)) continue;
        for (const end of pair.ends) end.unpipe().pause();
      }
    },
    /** Lets everything through again; what was dropped stays lost. */
    mend(): void {
      const cut = [...pairs].filter(isDropped);
      dropped = [];
      for (const { ends } of cut) for (const end of ends) end.destroy();
    },
  };
}

const hostInfo = Buffer.from('hostInfo\0');

/**
 * The port of the member that sends hello; undefined for any other client. A member names its host and port
 * when it opens a connection, with `enableTestCommands`: MongoDB's own test proxy relies on that.
 */
function memberIn(hello: Buffer): number | undefined {
  const at = hello.indexOf(hostInfo);
  if (at < 0) return undefined;
  const lengthAt = at + hostInfo.length;
  const end = lengthAt + 4 + hello.readInt32LE(lengthAt) - 1;
  const [, port] = hello.toString('utf8', lengthAt + 4, end).split(':');
  return Number(port);
}
