import { createCheckpoints } from '../../../models/audit/checkpoints.ts';
import { runAudit } from '../../../models/audit/run.ts';
import { createUsage } from '../../../models/billing/index.ts';
import { createLedger } from '../../../models/ledger/index.ts';
import { memoryOf } from './meter.ts';
import { type PurchaseWindow, sell } from './purchases.ts';
import type { LoadSetup } from './setup.ts';

export interface Burst {
  window: PurchaseWindow;
  /** The worker's memory after the backlog is cleared. */
  workerBytes: number;
  /** Result of the audit of the whole run. */
  faults: number;
  audit: string;
}

export async function burst(setup: LoadSetup, atMost: number): Promise<Burst> {
  const { service } = setup;
  const sale = { name: 'burst', mode: 'LIVE', concurrency: 64 } as const;
  const window = await sell(setup, { ...sale, atMost });
  const workerBytes = await memoryOf(service.pids().worker ?? 0);
  const { models, config } = service;
  const ledger = createLedger(models, config.customerHashKey);
  const usage = createUsage(models, config.customerHashKey);
  const checkpoints = createCheckpoints(config.customerHashKey);
  const { faults, summary } = await runAudit({ models, ledger, usage, checkpoints });
  return { window, workerBytes, faults, audit: summary };
}
