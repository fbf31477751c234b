import { setTimeout as delay } from 'node:timers/promises';
import type { ReplicatedService } from './replicated-service.ts';
import type { Member } from './three-members.ts';

export interface MongoDisaster {
  name: string;
  /** Does it to the service, and undoes it; slow recovery belongs in `after`. */
  strike(stage: ReplicatedService): Promise<void>;
  /** Whether requests rightly fail meanwhile, because no majority is left. */
  isOutage?: true;
  /** Whether it fills a member's disk, which is then a small file system. */
  fillsDisk?: true;
}

/** Longer than a response and an election take. */
const awayMs = 8_000;
/** mongod flushes its memory to disk at least once a minute, and only then notices that there is no room. */
const noticedWithinMs = 90_000;

/** Fills a member's disk until it exits, keeps it full for a while, makes room and restarts it. */
async function fillDiskOf({ mongo, log }: ReplicatedService, member: Member): Promise<void> {
  const fullMs = Date.now();
  await mongo.fillDisk(member);
  const over = new AbortController();
  const endedAt = await Promise.race([
    mongo.ended(member)?.then(() => Date.now()),
    delay(noticedWithinMs, undefined, over),
  ]);
  over.abort();
  if (endedAt === undefined) throw new Error('a member continues although its disk is full');
  log(`  mongod exited ${((endedAt - fullMs) / 1_000).toFixed(1)} s after its disk was full`);
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
