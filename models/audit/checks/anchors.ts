import { isGenuine } from '../../ledger/index.ts';
import type { AuditCheckpointDoc } from '../../schemas/audit.ts';
import { insertOnce } from '../../store/insert-once.ts';
import type { AuditDeps, Check } from '../audit.ts';
import { type Checkpoint, checkpointIdOf } from '../checkpoints.ts';
import { type AuditedLedger, walletsIn } from '../ledgers.ts';
import { pageSize, pagesOf } from '../pages.ts';
import type { Report } from '../report.ts';

/** A wallet's checkpoint, and its replacement. */
interface Move {
  from: AuditCheckpointDoc | undefined;
  to: Checkpoint;
}

/**
 * A chain alone does not show that its newest entries were deleted. So each audit stores the newest entry
 * of every wallet, and the next one checks that it still exists, and that an audit recorded it. A missing
 * entry keeps its checkpoint, so that every later audit reports it again.
 */
export function anchorsCheck(ledger: AuditedLedger): Check {
  const name = `${ledger.name}: what earlier audits saw is still there`;
  const collectionName = ledger.model.collection.collectionName;
  return {
    name,
    async run(deps, report) {
      report.looked(name, 0);
      for await (const partnerId of deps.partners()) {
        const known = await compare(deps, report, partnerId);
        const moves: Move[] = [];
        for await (const walletId of walletsIn(ledger, partnerId)) {
          const from = known.get(walletId);
          // One that is missing or forged stays, and is reported again.
          if (from === null) continue;
          const head = await ledger.model.findOne({ partnerId, walletId }).sort({ seq: -1 });
          if (head === null || head.seq === from?.seq || !isGenuine(deps.hashKey, head)) continue;
          const { seq, hash } = head;
          const of = { partnerId, collectionName, walletId };
          moves.push({ from, to: deps.checkpoints.seal({ ...of, seq, hash, seenAt: new Date() }) });
        }
        await moveForward(deps, moves);
      }
    },
  };

  /** @returns the partner's checkpoints by wallet; null for those that are wrong */
  async function compare(
    { models, checkpoints }: AuditDeps,
    report: Report,
    partnerId: string,
  ): Promise<Map<string, AuditCheckpointDoc | null>> {
    const known = new Map<string, AuditCheckpointDoc | null>();
    const pages = pagesOf<AuditCheckpointDoc>((last) =>
      models.auditCheckpoints
        .find({ partnerId, collectionName, ...(last && { walletId: { $gt: last.walletId } }) })
        .sort({ walletId: 1 })
        .limit(pageSize),
    );
    for await (const stored of pages) {
      for (const checkpoint of stored) {
        const problem = !checkpoints.isGenuine(checkpoint)
          ? 'no audit wrote this checkpoint'
          : (await isStillThere(ledger, checkpoint))
            ? undefined
            : 'it is missing or different';
        known.set(checkpoint.walletId, problem === undefined ? checkpoint : null);
        if (problem !== undefined) report.fault(name, describe(checkpoint, problem));
      }
      report.looked(name, stored.length);
    }
    return known;
  }

  /** Recorded outside the database first: an extra line there is harmless, a missing one is not. */
  async function moveForward(
    { models: { auditCheckpoints }, checkpoints: { note } }: AuditDeps,
    moves: readonly Move[],
  ): Promise<void> {
    if (note === null || moves.length === 0) return;
    await note(moves.map(({ to }) => to));
    const writes: Parameters<typeof auditCheckpoints.bulkWrite>[0] = moves.map(({ from, to }) => {
      if (!from) return { insertOne: { document: { _id: checkpointIdOf(to), ...to } } };
      const { partnerId, _id, seq } = from;
      return { updateOne: { filter: { partnerId, _id, seq }, update: to } };
    });
    // A concurrent audit may have stored the checkpoint first.
    await insertOnce(() => auditCheckpoints.bulkWrite(writes, { ordered: false }));
  }
}

/** Whether a wallet still has an entry that was seen before. */
export async function isStillThere(
  { model }: Pick<AuditedLedger, 'model'>,
  { partnerId, walletId, seq, hash }: Pick<Checkpoint, 'partnerId' | 'walletId' | 'seq' | 'hash'>,
): Promise<boolean> {
  return (await model.exists({ partnerId, walletId, seq, hash })) !== null;
}

function describe(
  { partnerId, walletId, seq, seenAt }: AuditCheckpointDoc,
  problem: string,
): string {
  // A tampered checkpoint may contain anything.
  const seen = new Date(seenAt);
  const when = Number.isNaN(seen.getTime()) ? 'at an invalid time' : seen.toISOString();
  return `partner ${partnerId}, wallet ${walletId}, number ${seq}, seen ${when}: ${problem}`;
}
