import { insertOnce } from '../../insert-once.ts';
import type { AuditCheckpointDoc } from '../../schemas/audit-checkpoint.ts';
import { chainIndex } from '../../schemas/entry.ts';
import type { AuditDeps, Check } from '../audit.ts';
import type { AuditedChain } from '../audited-chains.ts';
import { inPages, pageSize, pagesOf, partnersOf } from '../pages.ts';
import type { Report } from '../report.ts';
import { headsOf, type Placed } from '../walk.ts';
import { isGenuine } from './links.ts';

/**
 * A chain does not show that its newest entries were deleted. So each audit keeps the newest posting
 * of every account, and the next one looks whether it is still there. What was found missing stays
 * anchored, so that every later audit finds it again.
 */
export function anchorsCheck(audited: AuditedChain): Check {
  const name = `${audited.name}: what an earlier audit saw is still there`;
  const collectionName = audited.chain.model.collection.collectionName;
  return {
    name,
    async run(deps, report) {
      report.looked(name, 0);
      for await (const partnerId of partnersOf(deps)) {
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
   * Looks whether the checkpoints of these accounts are still there, and moves those forward.
   * @returns how many checkpoints there were
   */
  async function compare(
    { models }: AuditDeps,
    report: Report,
    heads: Placed[],
    ofPartner: { partnerId: string; collectionName: string },
  ): Promise<number> {
    const accounts = heads.map(({ posting }) => posting.account);
    const checkpoints = await models.auditCheckpoints
      .find({ ...ofPartner, account: { $in: accounts } })
      .lean();
    const checkpointOf = new Map(checkpoints.map((one) => [one.account, one]));
    const writes: Parameters<typeof models.auditCheckpoints.bulkWrite>[0] = [];
    for (const { entry, posting } of heads) {
      const { account, seq, hash } = posting;
      const checkpoint = checkpointOf.get(account);
      if (checkpoint && !(await isStillThere(checkpoint, posting))) {
        report.fault(name, describe(checkpoint));
      } else if (checkpoint?.seq !== seq && isGenuine(audited.chain, entry, posting)) {
        // A forged posting is no anchor: taking it out again is right.
        const seen = { seq, hash, seenAt: new Date() };
        const { partnerId } = ofPartner;
        const _id = `${partnerId}/${collectionName}/${account}`;
        writes.push(
          checkpoint
            ? { updateOne: { filter: { partnerId, _id, seq: checkpoint.seq }, update: seen } }
            : { insertOne: { document: { _id, ...ofPartner, account, ...seen } } },
        );
      }
    }
    // Another audit, at the same time, may have anchored the account first.
    if (writes.length > 0) {
      await insertOnce(() => models.auditCheckpoints.bulkWrite(writes, { ordered: false }));
    }
    report.looked(name, checkpoints.length);
    return checkpoints.length;
  }

  async function isStillThere(
    { partnerId, account, seq, hash }: AuditCheckpointDoc,
    head: Placed['posting'],
  ): Promise<boolean> {
    if (head.seq === seq) return head.hash === hash;
    const found = await audited.chain.model
      .findOne({ partnerId, postings: { $elemMatch: { account, seq, hash } } }, { _id: 1 })
      .hint(chainIndex)
      .lean();
    return found !== null;
  }

  /** Accounts that were seen and have no posting any more. */
  async function findLostAccounts(
    { models }: AuditDeps,
    report: Report,
    ofPartner: { partnerId: string; collectionName: string },
  ): Promise<void> {
    const pages = pagesOf<AuditCheckpointDoc>((last) =>
      models.auditCheckpoints
        .find({ ...ofPartner, ...(last && { account: { $gt: last.account } }) })
        .sort({ account: 1 })
        .limit(pageSize)
        .lean(),
    );
    for await (const checkpoints of pages) {
      for (const checkpoint of checkpoints) {
        const { partnerId, account } = checkpoint;
        const inUse = { partnerId, postings: { $elemMatch: { account } } };
        if (await audited.chain.model.exists(inUse)) continue;
        report.fault(name, describe(checkpoint));
        report.looked(name, 1);
      }
    }
  }

  function describe({ partnerId, account, seq, seenAt }: AuditCheckpointDoc): string {
    return `partner ${partnerId}, account ${account}, seq ${seq}, seen ${seenAt.toISOString()}: it is gone or another one`;
  }
}
