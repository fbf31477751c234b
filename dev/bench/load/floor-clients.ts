import { openFloorEvents } from './floor-events.ts';
import type { PreparedWork, Work } from './work.ts';

const done = 201;
const poolSize = 50;

/** The bare insert: only the driver. */
export async function openInserts({
  mongodbUri,
}: Extract<Work, { kind: 'inserts' }>): Promise<PreparedWork> {
  const events = await openFloorEvents(mongodbUri, poolSize);
  return {
    async runOne() {
      await events.insert();
      return done;
    },
    close: () => events.close(),
  };
}
