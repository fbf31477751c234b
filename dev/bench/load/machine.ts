import { cpus } from 'node:os';
import type { MeasuredService } from './measured-service.ts';

/** The machine that a run was measured on. */
export interface BenchMachine {
  cores: number;
  processor: string;
  node: string;
  mongodb: string;
  temporal: string;
}

export async function describeMachine({
  models,
  temporal,
}: MeasuredService): Promise<BenchMachine> {
  const { version } = (await models.connection.db?.admin().serverInfo()) ?? {};
  const { serverVersion } = await temporal.workflowService.getSystemInfo({});
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    node: process.versions.node,
    mongodb: String(version),
    temporal: serverVersion ?? 'unknown',
  };
}
