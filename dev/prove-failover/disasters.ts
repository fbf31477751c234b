import { setTimeout as delay } from 'node:timers/promises';
import type { ReplicatedService } from './replicated-service.ts';
import type { Member } from './three-members.ts';

export interface MongoDisaster {
  name: string;
  /** Does it to the stage, and undoes it; what is slow about undoing belongs to `after`. */
  strike(stage: ReplicatedService): Promise<void>;
  /** Whether nobody can be answered meanwhile, by right: no majority is left. */
  isOutage?: true;
  /** Whether it fills a member's disk, which is then a small file system of its own. */
  fillsDisk?: true;
}

/** Longer than an answer may take, and than the replica set needs to elect. */
const awayMs = 8_000;
/** mongod writes what it has in memory to its disk at least once in a minute: then it meets that there is no room. */
const noticedWithinMs = 90_000;

/** Fills the disk of a member until it ends, keeps it full for a while, makes room and starts it again. */
async function fillDiskOf({ mongo, log }: ReplicatedService, member: Member): Promise<void> {
  const fullMs = Date.now();
  await mongo.fillDisk(member);
  const over = new AbortController();
  const endedAt = await Promise.race([
    mongo.ended(member)?.then(() => Date.now()),
    delay(noticedWithinMs, undefined, over),
  ]);
  over.abort();
  if (endedAt === undefined) throw new Error('a member goes on though its disk is full');
  log(`  mongod ended ${((endedAt - fullMs) / 1_000).toFixed(1)} s after its disk was full`);
  await delay(awayMs);
  await mongo.makeRoom(member);
  await mongo.revive(member);
}

export const mongoDisasters: readonly MongoDisaster[] = [
  {
    name: 'primary killed',
    async strike({ mongo }) {
      const [primary] = await mongo.roles();
      await mongo.kill(primary);
      await delay(awayMs);
      await mongo.revive(primary);
    },
  },
  {
    name: 'primary frozen',
    async strike({ mongo }) {
      const [primary] = await mongo.roles();
      mongo.freeze(primary);
      await delay(awayMs);
      mongo.thaw(primary);
    },
  },
  ...['', ' again'].map((again) => ({
    name: `primary stepped down${again}`,
    async strike({ mongo }: ReplicatedService) {
      const [primary] = await mongo.roles();
      await mongo.stepDown(primary);
      await delay(awayMs / 4);
    },
  })),
  {
    name: 'primary cut off from the other members only',
    async strike({ mongo }) {
      const [primary] = await mongo.roles();
      mongo.cutOff(primary);
      await delay(awayMs);
      mongo.mend();
    },
  },
  {
    name: 'a secondary killed',
    async strike({ mongo }) {
      const [, secondary] = await mongo.roles();
      await mongo.kill(secondary);
      await delay(awayMs / 2);
      await mongo.revive(secondary);
    },
  },
  {
    name: 'both secondaries killed',
    isOutage: true,
    async strike({ mongo }) {
      const [, one, other] = await mongo.roles();
      await Promise.all([mongo.kill(one), mongo.kill(other)]);
      await delay(awayMs);
      await Promise.all([mongo.revive(one), mongo.revive(other)]);
    },
  },
  {
    name: 'disk of the primary full',
    fillsDisk: true,
    async strike(stage) {
      const [primary] = await stage.mongo.roles();
      await fillDiskOf(stage, primary);
    },
  },
  {
    name: 'disk of a secondary full',
    fillsDisk: true,
    async strike(stage) {
      const [, secondary] = await stage.mongo.roles();
      await fillDiskOf(stage, secondary);
    },
  },
  {
    name: '20 ms network latency each way',
    async strike({ mongo }) {
      mongo.worsen({ delayMs: 20, lostShare: 0 });
      await delay(2 * awayMs);
      mongo.mend();
    },
  },
  {
    name: '20 ms latency, and 1 % of writes lost',
    async strike({ mongo }) {
      mongo.worsen({ delayMs: 20, lostShare: 0.01 });
      await delay(2 * awayMs);
      mongo.mend();
    },
  },
  {
    name: 'clock of one API and one worker a minute ahead',
    async strike(stage) {
      await stage.putClockAhead();
      await delay(awayMs / 2);
      await stage.putClockRight();
    },
  },
];
