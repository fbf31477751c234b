import { setTimeout as sleep } from 'node:timers/promises';
import { readDue, workflowWaitLimitMs } from '../../models/due.ts';
import { createModels, type Models } from '../../models/schemas/index.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { isStopping } from '../managed-process.ts';

/** How long a read may take, and how often it is made until it is drained. */
const readMs = 10_000;
const lookMs = 15_000;

/** How much waits for its workflow, and for how long; null if nothing waits longer than usual. */
export async function readBacklog(
  models: Models,
  nowMs: number,
): Promise<{ count: number; oldestMs: number } | null> {
  const { waiting } = await readDue(models, readMs);
  const oldestMs = Math.max(
    ...waiting.map(({ oldestSince }) => nowMs - (oldestSince?.getTime() ?? nowMs)),
  );
  if (oldestMs < workflowWaitLimitMs) return null;
  return { count: waiting.reduce((sum, { count }) => sum + count, 0), oldestMs };
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
