import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';

const patienceMs = 60_000;
const notYetInitialized = 94;

type MongoClient = InstanceType<typeof mongoose.mongo.MongoClient>;

/**
 * Makes the mongod at this address the only member of the replica set `rs0`: initiates the set on the first
 * start, and updates the member's address if a later start uses another port.
 * @param address `host:port`
 */
export async function joinAsOnlyMember(address: string): Promise<void> {
  await withClient(address, async (client) => {
    const admin = client.db('admin');
    const member = { _id: 0, host: address };
    try {
      const { config } = await admin.command({ replSetGetConfig: 1 });
      if (config.members.length === 1 && config.members[0].host === address) return;
      const next = { ...config, version: config.version + 1, members: [member] };
      await admin.command({ replSetReconfig: next, force: true });
    } catch (error) {
      if (!isCode(error, notYetInitialized)) throw error;
      await admin.command({ replSetInitiate: { _id: 'rs0', members: [member] } });
    }
  });
}

/** Waits until the only member has elected itself and accepts writes. */
export async function awaitPrimary(address: string): Promise<void> {
  await withClient(address, async (client) => {
    const deadlineMs = Date.now() + patienceMs;
    while (Date.now() < deadlineMs) {
      const hello = await client.db('admin').command({ hello: 1 });
      if (hello.isWritablePrimary) return;
      await sleep(50);
    }
    throw new Error(`MongoDB at ${address} did not become primary within ${patienceMs / 1000} s.`);
  });
}

async function withClient(
  address: string,
  work: (client: MongoClient) => Promise<void>,
): Promise<void> {
  const client = new mongoose.mongo.MongoClient(`mongodb://${address}/?directConnection=true`, {
    serverSelectionTimeoutMS: patienceMs,
    heartbeatFrequencyMS: 500,
  });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.close();
  }
}

function isCode(error: unknown, code: number): boolean {
  return error instanceof mongoose.mongo.MongoServerError && error.code === code;
}
