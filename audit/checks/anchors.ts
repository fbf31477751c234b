import { walletIdOf } from '../../domain/postings.ts';
import { isGenuine } from '../../models/ledger/index.ts';
import type { AuditCheckpointDoc } from '../../models/schemas/audit.ts';
import type { Models } from '../../models/schemas/index.ts';
import { insertOnce } from '../../models/store/insert-once.ts';
import type { AuditDeps, Check } from '../audit.ts';
import type { Checkpoint } from '../checkpoints.ts';
import type { AuditedLedger } from '../ledgers.ts';

/**
 * A chain alone does not show that its newest entries were deleted. So each audit stores the newest entry
 * of every wallet, and the next one checks that it still exists, and that an audit recorded it. A missing
 * entry keeps its checkpoint, so that every later audit reports it again.
 */
export function anchorsCheck({ name: ledger, mode }: AuditedLedger): Check {
  const name = `${ledger}: what earlier audits saw is still there`;
  return {
    name,
    async run(deps, report) {
      report.looked(name, 0);
      for await (const partnerId of deps.partners()) {
        const { models, hashKey, checkpoints } = deps;
        const from = await models.auditCheckpoints.findOne({ partnerId, mode });
        const problem = from && (await problemOf(deps, from));
        if (from) report.looked(name, 1);
        // One that is missing or forged stays, and is reported again.
        if (from && problem) report.fault(name, describe(from, problem));
        else {
          const head = await models.ledger.findOne({ partnerId, mode }).sort({ seq: -1 });
          if (head === null || head.seq === from?.seq || !isGenuine(hashKey, head)) continue;
          const { seq, hash } = head;
          const to = checkpoints.seal({ partnerId, mode, seq, hash, seenAt: new Date() });
          await moveForward(deps, from, to);
        }
      }
    },
  };
}

async function problemOf(
  { models, checkpoints }: AuditDeps,
  checkpoint: AuditCheckpointDoc,
): Promise<string | undefined> {
  if (!checkpoints.isGenuine(checkpoint)) return 'no audit wrote this checkpoint';
  return (await isStillThere(models, checkpoint)) ? undefined : 'it is missing or different';
}

/** Recorded outside the database first: an extra line there is harmless, a missing one is not. */
async function moveForward(
  { models: { auditCheckpoints }, checkpoints: { note } }: AuditDeps,
  from: AuditCheckpointDoc | null,
  to: Checkpoint,
): Promise<void> {
  if (note === null) return;
  await note([to]);
  // A concurrent audit may have been first.
  if (from === null) {
    await insertOnce(() => auditCheckpoints.create({ _id: walletIdOf(to), ...to }));
    return;
  }
  const { partnerId, _id, seq } = from;
  await auditCheckpoints.updateOne({ partnerId, _id, seq }, to);
}

/** Whether a wallet still has an entry that was seen before. */
export async function isStillThere(
  { ledger }: Models,
  { partnerId, mode, seq, hash }: Pick<Checkpoint, 'partnerId' | 'mode' | 'seq' | 'hash'>,
): Promise<boolean> {
  return (await ledger.exists({ partnerId, mode, seq, hash })) !== null;
}

function describe({ partnerId, mode, seq, seenAt }: AuditCheckpointDoc, problem: string): string {
  // A tampered checkpoint may contain anything.
  const seen = new Date(seenAt);
  const when = Number.isNaN(seen.getTime()) ? 'at an invalid time' : seen.toISOString();
  return `partner ${partnerId}, wallet ${mode}, number ${seq}, seen ${when}: ${problem}`;
}
