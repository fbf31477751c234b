import { type OrderFault, type OrderFaultKind, orderFaultKinds } from '../domain/orders.ts';
import type { Models } from '../models/schemas/index.ts';
import type { ComparisonJob, ComparisonResult } from '../models/schemas/jobs.ts';
import { newId } from '../platform/ids.ts';

/** The faults in one stored document, which is a page of the API's. */
const faultsOfDocument = 500;
const examplesOfKind = 20;
/** Faults beyond this are counted but not stored. */
const maxKept = 200_000;

/** How many pages of faults a comparison has. */
export function faultPagesOf({ faults }: Pick<ComparisonResult, 'faults'>): number {
  const found = Object.values(faults).reduce((sum, count) => sum + count, 0);
  return Math.ceil(Math.min(found, maxKept) / faultsOfDocument);
}

/** Stores what a comparison finds, some hundreds at a time. */
export function openFaultBook(models: Models, { partnerId, _id: jobId, expiresAt }: ComparisonJob) {
  const counts = Object.fromEntries(orderFaultKinds.map((kind) => [kind, 0])) as Record<
    OrderFaultKind,
    number
  >;
  const examples: OrderFault[] = [];
  let waiting: OrderFault[] = [];
  let kept = 0;
  let seq = 0;

  async function write(): Promise<void> {
    seq += 1;
    const book = { partnerId, jobId, part: 'FAULTS' as const, seq };
    await models.jobRows.create({ _id: newId('jobRows'), ...book, rows: waiting, expiresAt });
    waiting = [];
  }

  return {
    /** Deletes what an earlier attempt stored. */
    async clear(): Promise<void> {
      await models.jobRows.deleteMany({ partnerId, jobId, part: 'FAULTS' });
    },

    async add(faults: readonly OrderFault[]): Promise<void> {
      for (const fault of faults) {
        counts[fault.kind] += 1;
        if (counts[fault.kind] <= examplesOfKind) examples.push(fault);
        if (kept === maxKept) continue;
        kept += 1;
        waiting.push(fault);
        if (waiting.length === faultsOfDocument) await write();
      }
    },

    /** Stores the rest. */
    async close() {
      if (waiting.length > 0) await write();
      const found = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return { faults: counts, examples, isCut: found > kept };
    },
  };
}
