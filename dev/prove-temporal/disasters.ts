import { setTimeout as delay } from 'node:timers/promises';
import type { TemporalRelease, TwoServers } from './two-servers.ts';

export interface TemporalDisaster {
  name: string;
  strike(temporal: TwoServers): Promise<void>;
}

/** Longer than a server needs to take over the other's shards. */
const awayMs = 12_000;

/** How long servers of two releases run side by side, reading each other's data. */
const mixedMs = 6_000;

async function replaceBoth({ replace }: TwoServers, release: TemporalRelease): Promise<void> {
  await replace(0, release);
  await delay(mixedMs);
  await replace(1, release);
}

/** The cluster starts with the previous release; the events after the upgrades happen to the current one. */
export const temporalDisasters: readonly TemporalDisaster[] = [
  {
    name: 'schema updated, servers upgraded one by one',
    async strike(temporal) {
      await temporal.updateSchemas();
      await delay(mixedMs);
      await replaceBoth(temporal, 'present');
    },
  },
  {
    name: 'servers downgraded one by one',
    strike: (temporal) => replaceBoth(temporal, 'previous'),
  },
  {
    name: 'servers upgraded one by one again',
    strike: (temporal) => replaceBoth(temporal, 'present'),
  },
  {
    name: 'one server killed',
    async strike({ kill, start }) {
      await kill(0);
      await delay(awayMs);
      await start(0);
    },
  },
  {
    name: 'one server frozen',
    async strike({ freeze, thaw }) {
      freeze(1);
      await delay(awayMs);
      thaw(1);
    },
  },
  {
    name: 'PostgreSQL restarted',
    strike: ({ postgres }) => postgres.restart(),
  },
  {
    name: 'both servers killed',
    async strike({ kill, start }) {
      await Promise.all([kill(0), kill(1)]);
      await delay(awayMs);
      await Promise.all([start(0), start(1)]);
    },
  },
];
