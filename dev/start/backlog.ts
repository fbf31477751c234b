import { setTimeout as sleep } from 'node:timers/promises';
import { workflowWaitLimitMs } from '../../models/outbox.ts';
import { createModels, type Models } from '../../models/schemas/index.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { isStopping } from '../managed-process.ts';

/** How often it is looked at until it is drained. */
const lookMs = 15_000;

/** How much waits for its workflow, and for how long; null if nothing waits longer than usual. */
export async function readBacklog(
  { outbox }: Models,
  nowMs: number,
): Promise<{ count: number; oldestMs: number } | null> {
  const oldest = await outbox.findOne({}, { at: 1 }).sort({ at: 1 });
  const oldestMs = oldest === null ? 0 : nowMs - oldest.at.getTime();
  if (oldestMs < workflowWaitLimitMs) return null;
  return { count: await outbox.countDocuments(), oldestMs };
}

/** Says what an earlier run left behind, until the worker has drained it. */
export async function tellBacklog(mongodbUri: string, log: (line: string) => void): Promise<void> {
  const connection = await connectMongo(mongodbUri);
  try {
    const models = createModels(connection);
    let isTold = false;
    for (;;) {
      const backlog = await readBacklog(models, Date.now());
      if (backlog === null) break;
      log(describeBacklog(backlog));
      isTold = true;
      await sleep(lookMs, undefined, { ref: false });
      if (isStopping()) return;
    }
    if (isTold) log('What had waited is done.');
  } finally {
    await connection.close();
  }
}

export function describeBacklog({ count, oldestMs }: { count: number; oldestMs: number }): string {
  const minutes = Math.floor(oldestMs / 60_000);
  const what =
    count === 1
      ? '1 purchase, refund or message waits'
      : `${count.toLocaleString('en')} purchases, refunds and messages wait`;
  return `${what} from an earlier run, the oldest for ${minutes.toLocaleString('en')} min; the worker is draining them, and /statusz is 503 until then.`;
}
