import { setTimeout as delay } from 'node:timers/promises';
import type { TwoServers } from './two-servers.ts';

export interface Disaster {
  name: string;
  strike(temporal: TwoServers): Promise<void>;
}

/** Longer than the other server needs to take over the shards of one that is gone. */
const awayMs = 12_000;

export const disasters: readonly Disaster[] = [
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
    name: 'each restarted in turn, as an upgrade does',
    async strike({ restart }) {
      await restart(0);
      await restart(1);
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
