import { randomUUID } from 'node:crypto';
import { startChild } from './child.ts';
import type { Answers } from './figures.ts';
import { prepareMeasuredService } from './measured-service.ts';
import { createPartners } from './partners.ts';
import type { LoadJob } from './work.ts';

export type LoadSetup = Awaited<ReturnType<typeof setUpLoad>>;

/** What every measurement needs: the service, partners, and the process that sends their requests. */
export async function setUpLoad(dataDir: string, log: (line: string) => void) {
  const service = await prepareMeasuredService(dataDir, log);
  const partners = await createPartners(service);
  await service.startService();
  const generator = startChild<LoadJob, Answers>('./generator.ts');
  return {
    service,
    partners,
    generator,
    log,
    /** A new prefix for order ids. */
    newOrders: (): string => randomUUID().slice(0, 8),
    async close(): Promise<void> {
      generator.stop();
      await service.close();
    },
  };
}
