import { randomUUID } from 'node:crypto';
import { startChild } from './child.ts';
import type { Answers } from './figures.ts';
import { openShops } from './shops.ts';
import { openStage } from './stage.ts';
import type { Job } from './work.ts';

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Everything a measurement needs: the service, a partner's shops, and who sends their requests. */
export async function openScene(dataDir: string, log: (line: string) => void) {
  const stage = await openStage(dataDir, log);
  const shops = await openShops(stage);
  await stage.startService();
  const generator = startChild<Job, Answers>('./generator.ts');
  return {
    stage,
    shops,
    generator,
    log,
    /** A prefix that no order had before. */
    newOrders: (): string => randomUUID().slice(0, 8),
    async close(): Promise<void> {
      generator.stop();
      await stage.close();
    },
  };
}
