import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Link = Awaited<ReturnType<typeof startLink>>;

/** A connection through a link: the two ends, and the port of the member that opened it. */
interface Pair {
  ends: Socket[];
  openedBy: number | undefined;
}

/**
 * The way to one member of the replica set, for the other members and for us alike. What one member sends on
 * it can be swallowed: every connection stays, and nothing comes through, as when a network is cut.
 * @param targetPort where the member listens
 */
export async function startLink(targetPort: number) {
  const pairs = new Set<Pair>();
  let swallowed: readonly number[] = [];
  const isSwallowed = ({ openedBy }: Pair) =>
    openedBy !== undefined && swallowed.includes(openedBy);

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
      if (isSwallowed(pair)) return;
      const to = keep(pair, connect(targetPort, '127.0.0.1'));
      to.write(hello);
      from.pipe(to).pipe(from);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    /** @param members the ports of those from whom nothing comes through any more */
    swallow(members: readonly number[]): void {
      swallowed = members;
      for (const pair of pairs) {
        if (!isSwallowed(pair)) continue;
        for (const end of pair.ends) end.unpipe().pause();
      }
    },
    /** Everything comes through again; what was swallowed stays lost. */
    mend(): void {
      const cut = [...pairs].filter(isSwallowed);
      swallowed = [];
      for (const { ends } of cut) for (const end of ends) end.destroy();
    },
    stop(): void {
      server.close();
      for (const { ends } of pairs) for (const end of ends) end.destroy();
    },
  };
}

const hostInfo = Buffer.from('hostInfo\0');

/**
 * The port of the member that says hello; undefined for anybody else. A member of a replica set says its host
 * and port when it opens a connection, given `enableTestCommands`: MongoDB's own test proxy relies on that.
 */
function memberIn(hello: Buffer): number | undefined {
  const at = hello.indexOf(hostInfo);
  if (at < 0) return undefined;
  const lengthAt = at + hostInfo.length;
  const end = lengthAt + 4 + hello.readInt32LE(lengthAt) - 1;
  return Number(
    hello
      .toString('utf8', lengthAt + 4, end)
      .split(':')
      .at(-1),
  );
}
