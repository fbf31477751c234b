import type { AuditCheckpointDoc } from '../../schemas/audit.ts';
import { insertOnce } from '../../store/insert-once.ts';
import type { AuditDeps, Check } from '../audit.ts';
import type { AuditedChain } from '../audited-chains.ts';
import { type Checkpoint, checkpointIdOf } from '../checkpoints.ts';
import { inPages, pageSize, pagesOf } from '../pages.ts';
import type { Report } from '../report.ts';
import { headsOf, isStillThere, type Placed } from '../walk.ts';
import { isGenuine } from './links.ts';

/** An account's checkpoint, and its replacement. */
interface Move {
  from: AuditCheckpointDoc | undefined;
  to: Checkpoint;
}

const gone = 'it is missing or different';

/**
 * A chain alone does not show that its newest entries were deleted. So each audit stores the newest
 * posting of every account, and the next one checks that it still exists, and that an audit
 * recorded it. A missing posting keeps its checkpoint, so that every later audit reports it again.
 */
export function anchorsCheck(audited: AuditedChain): Check {
  const name = `${audited.name}: what earlier audits saw is still there`;
  const collectionName = audited.chain.model.collection.collectionName;
  return {
    name,
    async run(deps, report) {
      report.looked(name, 0);
      for await (const partnerId of deps.partners()) {
        const ofPartner = { partnerId, collectionName };
        const before = await deps.models.auditCheckpoints.countDocuments(ofPartner);
        let met = 0;
        for await (const heads of inPages(headsOf(audited, partnerId))) {
          met += await compare(deps, report, heads, ofPartner);
        }
        if (met < before) await findLostAccounts(deps, report, ofPartner);
      }
    },
  };

  /**
   * Checks that the checkpoints of these accounts are genuine and their postings exist, and moves
   * those forward.
   * @returns how many checkpoints there were
   */
  async function compare(
    { models, checkpoints }: AuditDeps,
    report: Report,
    heads: Placed[],
    ofPartner: { partnerId: string; collectionName: string },
  ): Promise<number> {
    const accounts = heads.map(({ posting }) => posting.account);
    const stored = await models.auditCheckpoints.find({ ...ofPartner, account: { $in: accounts } });
    const storedOf = new Map(stored.map((one) => [one.account, one]));
    const moves: Move[] = [];
    for (const { entry, posting } of heads) {
      const { account, seq, hash } = posting;
      const before = storedOf.get(account);
      if (before && !checkpoints.isGenuine(before)) {
        report.fault(name, describe(before, 'no audit wrote this checkpoint'));
      } else if (before && !(await isHeadOrThere(before, posting))) {
        report.fault(name, describe(before, gone));
      } else if (before?.seq !== seq && isGenuine(audited.chain, entry, posting)) {
        // A forged posting gets no checkpoint: otherwise the next audit would report a fault once it is removed.
        const to = checkpoints.seal({ ...ofPartner, account, seq, hash, seenAt: new Date() });
        moves.push({ from: before, to });
      }
    }
    await moveForward(models, checkpoints, moves);
    report.looked(name, stored.length);
    return stored.length;
  }

  /** Recorded outside the database first: an extra line there is harmless, a missing one is not. */
  async function moveForward(
    { auditCheckpoints }: AuditDeps['models'],
    { note }: AuditDeps['checkpoints'],
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

  async function isHeadOrThere(
    checkpoint: AuditCheckpointDoc,
    head: Placed['posting'],
  ): Promise<boolean> {
    if (head.seq === checkpoint.seq) return head.hash === checkpoint.hash;
    return await isStillThere(audited, checkpoint);
  }

  /** Accounts with a checkpoint that have no postings any more. */
  async function findLostAccounts(
    { models }: AuditDeps,
    report: Report,
    ofPartner: { partnerId: string; collectionName: string },
  ): Promise<void> {
    const pages = pagesOf<AuditCheckpointDoc>((last) =>
      models.auditCheckpoints
        .find({ ...ofPartner, ...(last && { account: { $gt: last.account } }) })
        .sort({ account: 1 })
        .limit(pageSize),
    );
    for await (const checkpoints of pages) {
      for (const checkpoint of checkpoints) {
        const { partnerId, account } = checkpoint;
        const inUse = { partnerId, postings: { $elemMatch: { account } } };
        if (await audited.chain.model.exists(inUse)) continue;
        report.fault(name, describe(checkpoint, gone));
        report.looked(name, 1);
      }
    }
  }

  function describe(
    { partnerId, account, seq, seenAt }: AuditCheckpointDoc,
    problem: string,
  ): string {
    // A tampered checkpoint may contain anything.
    const seen = new Date(seenAt);
    const when = Number.isNaN(seen.getTime()) ? 'at an invalid time' : seen.toISOString();
    return `partner ${partnerId}, account ${account}, seq ${seq}, seen ${when}: ${problem}`;
  }
}
