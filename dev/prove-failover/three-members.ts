import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { ManagedProcess } from '../managed-process.ts';
import { dbPathOf, runMongod, type ServerOptions } from '../servers/mongo.ts';
import { choosePort } from '../servers/ports.ts';
import { mountSmallDisk, type SmallDisk } from '../small-disk.ts';
import { type Link, type NetworkConditions, startLink } from './link.ts';

/** The settings for detecting a lost primary; docs/running.md recommends the same. */
export const settings = {
  electionTimeoutMillis: 2_000,
  heartbeatIntervalMillis: 500,
  heartbeatTimeoutSecs: 2,
};

const patienceMs = 60_000;
/** The file system of a member's data, if it is to be filled. */
const diskMegabytes = 1_024;
const members = [0, 1, 2] as const;
export type Member = (typeof members)[number];

interface State {
  name: string;
  stateStr: string;
}

export type ThreeMembers = Awaited<ReturnType<typeof startThreeMembers>>;

/**
 * A replica set of three with its own data and ports; each member is reached through a link, by the others
 * and by the service.
 * @param disks the file systems of the members' data, in order, if they must be small
 */
export async function startThreeMembers(options: ServerOptions, disks?: SmallDisk[]) {
  const folderOf = (member: Member) => join(options.dataDir, `member-${member}`);
  const quietly = { ...options, log: () => undefined };
  const mongods: ManagedProcess[] = [];
  const ports: number[] = [];
  const links: Link[] = [];
  const run = async (member: Member): Promise<void> => {
    const own = { ...(member === 0 ? options : quietly), dataDir: folderOf(member) };
    mongods[member] = await runMongod(own, ports[member] ?? 0, [
      // A member names itself when it opens a connection: see link.ts.
      ...['--setParameter', 'enableTestCommands=1'],
    ]);
  };
  for (const member of members) {
    disks?.push(await mountSmallDisk(await dbPathOf(folderOf(member)), diskMegabytes));
    const wanted = { variable: 'MONGODB_PORT', what: 'MongoDB', preferredPort: 0 };
    ports[member] = await choosePort(wanted, {}, options.log);
    links[member] = await startLink(ports[member]);
    await run(member);
  }
  const addressOf = (member: Member) => `127.0.0.1:${links[member]?.port}`;
  /** A member's response to a command sent to it directly. */
  const ask = async (member: Member, command: Record<string, unknown>) => {
    const client = new mongoose.mongo.MongoClient(
      `mongodb://127.0.0.1:${ports[member]}/?directConnection=true`,
      { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000, socketTimeoutMS: 15_000 },
    );
    try {
      return await client.db('admin').command(command);
    } finally {
      await client.close();
    }
  };
  const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
    const deadlineMs = Date.now() + patienceMs;
    while (!(await isSo().catch(() => false))) {
      if (Date.now() > deadlineMs) throw new Error(`MongoDB: ${what} took longer than a minute.`);
      await delay(100);
    }
  };
  const statesSeenBy = async (member: Member): Promise<string[]> => {
    const { members: states } = await ask(member, { replSetGetStatus: 1 });
    return states.map(({ stateStr }: State) => stateStr).toSorted();
  };
  const isPrimary = async (member: Member): Promise<boolean> =>
    (await ask(member, { hello: 1 }).catch(() => undefined))?.isWritablePrimary === true;
  /** Waits until all members see each other and one of them is primary. */
  const whole = () =>
    until('recovery of the set', async () => {
      const seen = await Promise.all(members.map(statesSeenBy));
      return seen.every((states) => states.join() === 'PRIMARY,SECONDARY,SECONDARY');
    });

  await until(
    'start-up',
    async () => (await Promise.all(members.map((one) => ask(one, { ping: 1 })))).length === 3,
  );
  await ask(0, {
    replSetInitiate: {
      _id: 'rs0',
      settings,
      members: members.map((member) => ({ _id: member, host: addressOf(member) })),
    },
  });
  await whole();

  return {
    uri: `mongodb://${members.map(addressOf).join(',')}/partner_events?replicaSet=rs0`,
    whole,

    /** The primary first. */
    async roles(): Promise<[Member, Member, Member]> {
      const are = await Promise.all(members.map(isPrimary));
      const primary = members.find((member) => are[member]);
      if (primary === undefined) throw new Error('no member is primary');
      const [one, other] = members.filter((member) => member !== primary);
      return [primary, one as Member, other as Member];
    },

    async kill(member: Member): Promise<void> {
      const { pid, exited } = mongods[member] as ManagedProcess;
      process.kill(pid, 'SIGKILL');
      await exited;
    },
    revive: run,
    /** Resolves once it has exited, for any reason. */
    ended: (member: Member) => mongods[member]?.exited,

    fillDisk: async (member: Member) => await disks?.[member]?.fill(),
    makeRoom: async (member: Member) => await disks?.[member]?.makeRoom(),

    freeze: (member: Member) => process.kill(mongods[member]?.pid ?? 0, 'SIGSTOP'),
    thaw: (member: Member) => process.kill(mongods[member]?.pid ?? 0, 'SIGCONT'),

    /** Steps the primary down, as in an upgrade. */
    async stepDown(member: Member): Promise<void> {
      await ask(member, { replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 });
    },

    /** Cuts this member off from the others in both directions; the service still reaches all of them. */
    cutOff(member: Member): void {
      for (const other of members) {
        const from = other === member ? members.filter((one) => one !== member) : [member];
        links[other]?.swallow(from.map((one) => ports[one] ?? 0));
      }
    },
    /** Applies to every connection to a member, in both directions. */
    worsen(weather: NetworkConditions): void {
      for (const link of links) link.worsen(weather);
    },
    mend(): void {
      for (const link of links) link.mend();
    },
    stop(): void {
      for (const link of links) link.stop();
    },
  };
}
