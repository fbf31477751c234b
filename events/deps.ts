import type { InsertEvent } from '../models/events/insert-event.ts';
import type { EarlierEventsFinder } from '../models/events/order-events.ts';
import type { BatchedRewards } from '../models/rewards/batched-rewards.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Config } from '../platform/config.ts';
import type { Sealer } from '../platform/sealing.ts';

/** The dependencies of recording events. */
export interface EventsDeps {
  config: Pick<Config, 'customerHashKey' | 'reviewDueMs' | 'portal'>;
  models: Models;
  sealer: Sealer;
  earlierEvents: EarlierEventsFinder;
  insertEvent: InsertEvent;
  rewards: BatchedRewards;
  /** Milliseconds since the epoch. */
  now: () => number;
}
