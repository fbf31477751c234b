import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export type Link = Awaited<ReturnType<typeof startLink>>;

/** How a network is worse than the loopback. */
export interface NetworkConditions {
  /** Delays everything by this much in each direction. */
  delayMs: number;
  /** The share of writes to lose, from 0 to 1. */
  lostShare: number;
}

const clear: NetworkConditions = { delayMs: 0, lostShare: 0 };
/** TCP retransmits no sooner than this: Linux waits that long for an acknowledgement. */
const sentAgainMs = 200;

/** A connection through a link: its two ends, and the port of the member that opened it. */
interface Pair {
  ends: Socket[];
  openedBy: number | undefined;
}

/**
 * The network link to one member of the replica set, for the other members and the service alike. It can drop
 * everything sent by some members while their connections stay open, as in a network partition; and it can be
 * slow, and lose data.
 * @param targetPort the member's port
 */
export async function startLink(targetPort: number) {
  const pairs = new Set<Pair>();
  let swallowed: readonly number[] = [];
  let weather = clear;
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
      from.pipe(delayedAsNetwork(() => weather)).pipe(to);
      to.pipe(delayedAsNetwork(() => weather)).pipe(from);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    /** @param members the ports of the members to drop */
    swallow(members: readonly number[]): void {
      swallowed = members;
      for (const pair of pairs) {
        if (!isSwallowed(pair)) continue;
        for (const end of pair.ends) end.unpipe().pause();
      }
    },
    worsen(to: NetworkConditions): void {
      weather = to;
    },
    /** Lets everything through again at once; dropped data stays lost. */
    mend(): void {
      weather = clear;
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

/**
 * One direction of a connection: delivers writes in order, after the delay. A lost write is sent again, and
 * delays everything after it, as in TCP.
 */
export function delayedAsNetwork(weather: () => NetworkConditions): Transform {
  /** When the last write is delivered. */
  let lastMs = 0;
  /** Undelivered writes in order: separate timers could overtake each other. */
  const onTheWay: { chunk: unknown; atMs: number }[] = [];
  let ended = (): void => undefined;
  return new Transform({
    transform(chunk, _encoding, next) {
      const { delayMs, lostShare } = weather();
      const lostMs = Math.random() < lostShare ? sentAgainMs : 0;
      const nowMs = performance.now();
      lastMs = Math.max(lastMs, nowMs + delayMs + lostMs);
      if (onTheWay.length === 0 && lastMs <= nowMs) return next(null, chunk);
      const comesOut = (): void => {
        for (let [first] = onTheWay; first; [first] = onTheWay) {
          const leftMs = first.atMs - performance.now();
          if (leftMs > 0) {
            setTimeout(comesOut, leftMs);
            return;
          }
          onTheWay.shift();
          this.push(first.chunk);
        }
        ended();
      };
      onTheWay.push({ chunk, atMs: lastMs });
      if (onTheWay.length === 1) comesOut();
      next();
    },
    flush(done) {
      if (onTheWay.length === 0) done();
      else ended = done;
    },
  });
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
  return Number(
    hello
      .toString('utf8', lengthAt + 4, end)
      .split(':')
      .at(-1),
  );
}
