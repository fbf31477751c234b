import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import { runMongod, type ServerOptions } from '../../dev/servers/mongo.ts';
import { choosePort } from '../../dev/servers/ports.ts';
import { type Link, startLink } from './network.ts';
import type { Processes } from './processes.ts';

/** The settings for detecting a lost primary; docs/operate/install.md recommends the same. */
export const settings = {
  electionTimeoutMillis: 2_000,
  heartbeatIntervalMillis: 500,
  heartbeatTimeoutSecs: 2,
};

const patienceMs = 60_000;

/** A mongod's own port, and the link through which everybody else reaches it. */
interface Member {
  name: string;
  port: number;
  link: Link;
}

export type ReplicaSet = Awaited<ReturnType<typeof addReplicaSet>>;

/** Starts a replica set of three: the processes `mongod 1` to `mongod 3`. */
export async function addReplicaSet(processes: Processes, options: ServerOptions) {
  const members: Member[] = [];
  for (const name of ['mongod 1', 'mongod 2', 'mongod 3']) {
    const wanted = { variable: 'MONGODB_PORT', what: 'MongoDB', preferredPort: 0 };
    const port = await choosePort(wanted, {}, options.log);
    members.push({ name, port, link: await startLink(port) });
    const dataDir = join(options.dataDir, name.replace(' ', '-'));
    const own = { ...options, dataDir, log: members.length === 1 ? options.log : () => undefined };
    // A member names itself when it opens a connection: see network.ts.
    const args = ['--setParameter', 'enableTestCommands=1'];
    processes.add(name, { start: () => runMongod(own, port, args) });
    await processes.start([name]);
  }
  await until('start-up', async () => {
    const pings = await Promise.all(members.map((member) => ask(member, { ping: 1 })));
    return pings.length === members.length;
  });
  const hosts = members.map(({ link }) => `127.0.0.1:${link.port}`);
  await ask(members[0] as Member, {
    replSetInitiate: {
      _id: 'rs0',
      settings,
      members: hosts.map((host, _id) => ({ _id, host })),
    },
  });
  const isPrimary = async (member: Member): Promise<boolean> =>
    (await ask(member, { hello: 1 }).catch(() => undefined))?.isWritablePrimary === true;

  const set = {
    uri: `mongodb://${hosts.join(',')}/partner_events?replicaSet=rs0`,

    /** Waits until all members see each other and one of them is primary. */
    untilWhole: () =>
      until('recovery of the set', async () => {
        const seen = await Promise.all(members.map(statesSeenBy));
        return seen.every((states) => states.join() === 'PRIMARY,SECONDARY,SECONDARY');
      }),

    /** The names of the members, the primary first. Waits for an election under way. */
    async roles(): Promise<[string, string, string]> {
      const names = members.map(({ name }) => name);
      let primary = -1;
      await until('an election', async () => {
        const are = await Promise.all(members.map(isPrimary));
        primary = are.indexOf(true);
        return primary >= 0;
      });
      return [...names.splice(primary, 1), ...names] as [string, string, string];
    },

    /** Steps the primary down, as in an upgrade. */
    async stepDown(name: string): Promise<void> {
      const member = members.find((one) => one.name === name) as Member;
      await ask(member, { replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 });
    },

    /** Has a secondary fall behind, or follow again. */
    async fallBehind(name: string, isBehind: boolean): Promise<void> {
      const member = members.find((one) => one.name === name) as Member;
      const mode = isBehind ? 'alwaysOn' : 'off';
      await ask(member, { configureFailPoint: 'rsSyncApplyStop', mode });
    },

    /** Cuts a member off from the others in both directions; the service still reaches all of them. */
    cutOff(name: string): void {
      const isCut = (member: Member) => member.name === name;
      for (const one of members) {
        one.link.drop(members.filter((other) => isCut(other) !== isCut(one)).map(portOf));
      }
    },
    mend(): void {
      for (const { link } of members) link.mend();
    },
  };
  await set.untilWhole();
  return set;
}

const portOf = ({ port }: Member) => port;

/** A member's response to a command sent to it directly. */
async function ask({ port }: Member, command: Record<string, unknown>) {
  const client = new mongoose.mongo.MongoClient(
    `mongodb://127.0.0.1:${port}/?directConnection=true`,
    { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000, socketTimeoutMS: 15_000 },
  );
  try {
    return await client.db('admin').command(command);
  } finally {
    await client.close();
  }
}

async function statesSeenBy(member: Member): Promise<string[]> {
  const { members } = await ask(member, { replSetGetStatus: 1 });
  return members.map(({ stateStr }: { stateStr: string }) => stateStr).toSorted();
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error(`MongoDB: ${what} took over a minute.`);
    await delay(100);
  }
}
