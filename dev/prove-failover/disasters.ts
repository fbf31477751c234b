import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from './stage.ts';

export interface Disaster {
  name: string;
  /** Does it to the stage, and undoes it; what is slow about undoing belongs to `after`. */
  strike(stage: Stage): Promise<void>;
  /** Whether nobody can be answered meanwhile, by right: no majority is left. */
  isOutage?: true;
}

/** Longer than an answer may take, and than the replica set needs to elect. */
const awayMs = 8_000;

export const disasters: readonly Disaster[] = [
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
    async strike({ mongo }: Stage) {
      const [primary] = await mongo.roles();
      await mongo.stepDown(primary);
      await delay(awayMs / 4);
    },
  })),
  {
    name: 'primary cut off from the others, not from us',
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
    name: 'clock of one API and one worker a minute ahead',
    async strike(stage) {
      await stage.putClockAhead();
      await delay(awayMs / 2);
      await stage.putClockRight();
    },
  },
];
