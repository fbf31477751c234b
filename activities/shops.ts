import { cancellationSignal, heartbeat, log } from '@temporalio/activity';
import pMap from 'p-map';
import { askLater, findConnectionsToAsk } from '../models/identity/connections.ts';
import type { ConnectionDoc } from '../models/schemas/connections.ts';
import type { ActivityDeps } from './deps.ts';

/** Shops asked at a time. */
const concurrency = 4;
/** After an error of ours; a shop's own problems are stored with its connection. */
const laterMs = 3 * 3_600_000;

/** How many shops were asked, and what they had that no delivery had reported. */
export interface ShopsAsked {
  shops: number;
  asked: number;
  missing: number;
  reported: number;
  /** Shops that could not be asked, or not for everything. */
  failed: number;
}

export function shopActivities({
  models,
  repairConnection,
  now,
}: Pick<ActivityDeps, 'models' | 'repairConnection' | 'now'>) {
  return {
    /**
     * Asks the shops that are due what was bought and refunded, and reports what is missing. A retry goes on with
     * those that are still due, and reports nothing twice.
     */
    async askShops(): Promise<ShopsAsked> {
      const cancelled = cancellationSignal();
      const total: ShopsAsked = { shops: 0, asked: 0, missing: 0, reported: 0, failed: 0 };
      const tell = () => {
        cancelled.throwIfAborted();
        heartbeat();
      };
      const until = new Date(now());
      for (;;) {
        const due = await findConnectionsToAsk(models, until);
        if (due.length === 0) return total;
        await pMap(due, (connection) => ask(connection, total, tell), { concurrency });
      }
    },
  };

  async function ask(
    connection: ConnectionDoc,
    total: ShopsAsked,
    tell: () => void,
  ): Promise<void> {
    total.shops += 1;
    try {
      const run = await repairConnection(connection, tell);
      if (run === null) return;
      total.asked += run.asked;
      total.missing += run.missing;
      total.reported += run.reported;
      if (run.problem !== null) total.failed += 1;
    } catch (error) {
      tell();
      total.failed += 1;
      log.warn(`the shop of ${connection._id} could not be asked`, { error });
      await askLater(models, connection, new Date(now() + laterMs));
    }
  }
}
