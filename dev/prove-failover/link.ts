import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export type Link = Awaited<ReturnType<typeof startLink>>;

/** How a network is worse than the loopback. */
export interface NetworkConditions {
  /** What comes in goes out so much later, each way. */
  delayMs: number;
  /** How much of what is written is lost on its way, from 0 to 1. */
  lostShare: number;
}

const clear: NetworkConditions = { delayMs: 0, lostShare: 0 };
/** What TCP sends again comes no sooner than this: Linux waits so long for an acknowledgement. */
const sentAgainMs = 200;

/** A connection through a link: the two ends, and the port of the member that opened it. */
interface Pair {
  ends: Socket[];
  openedBy: number | undefined;
}

/**
 * The way to one member of the replica set, for the other members and for us alike. What one member sends on
 * it can be swallowed: every connection stays, and nothing comes through, as when a network is cut. And it
 * can be slow, and lose what is sent.
 * @param targetPort where the member listens
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
    /** @param members the ports of those from whom nothing comes through any more */
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
    /** Everything comes through again, at once; what was swallowed stays lost. */
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
 * One way of a connection: what is written comes out in its order, after the delay; what is lost is sent
 * again, and holds up all that was written after it, as TCP has it.
 */
export function delayedAsNetwork(weather: () => NetworkConditions): Transform {
  /** When what was written last comes out. */
  let lastMs = 0;
  /** What was written and has not come out, in its order: timers of their own could overtake one another. */
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
