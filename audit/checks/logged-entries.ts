import { isGenuine } from '../../models/ledger/index.ts';
import { createWriteLeaf, hashOfEntry, toText } from '../../models/receipts/leaf.ts';
import { readHeads } from '../../models/receipts/tree-heads.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { Check } from '../audit.ts';
import { pageSize, pagesOf } from '../pages.ts';

const name = 'ledger: the log of receipts has each entry once, as it is';

/** Entries this much older than a tree head were there when the log grew, whichever process wrote them. */
const settledMs = 3_600_000;

/**
 * Compares a partner's entries with the log up to its newest head: each entry has its leaf, and there are no others.
 * That a leaf is in its place, treeHeadsHold checks.
 */
export const entriesAreLogged: Check = {
  name,
  async run(deps, report) {
    const { models, hashKey, pace } = deps;
    report.looked(name, 0);
    const [head] = await readHeads(models, 1);
    if (head === undefined) return;
    const writeLeaf = createWriteLeaf(hashKey);
    const dueBefore = new Date(head.signedAt.getTime() - settledMs);
    for await (const partnerId of deps.partners()) {
      const read = (last: EntryDoc | undefined) =>
        models.ledger
          .find({ partnerId, mode: 'LIVE', seq: { $gt: last?.seq ?? 0 } })
          .sort({ seq: 1 })
          .limit(pageSize);
      let found = 0;
      for await (const entries of pagesOf<EntryDoc>(read)) {
        const seqs = entries.map(({ seq }) => seq);
        const leaves = await models.ledgerLeaves.find({
          partnerId,
          seq: { $in: seqs },
          _id: { $lt: head._id },
        });
        found += leaves.length;
        const bySeq = new Map(leaves.map((leaf) => [leaf.seq, leaf]));
        for (const entry of entries) {
          const { _id, seq, at } = entry;
          const hash = bySeq.get(seq)?.hashes[0];
          if (hash === undefined && at >= dueBefore) continue;
          if (isGenuine(hashKey, entry) && hash === toText(hashOfEntry(writeLeaf, entry))) continue;
          const problem = hash === undefined ? 'it is not in the log' : 'the log has another';
          report.fault(name, `${_id}, partner ${partnerId}, number ${seq}: ${problem}`);
        }
        report.looked(name, entries.length);
        await pace();
      }
      const logged = await models.ledgerLeaves.countDocuments({
        partnerId,
        _id: { $lt: head._id },
      });
      if (logged > found) {
        const text = `partner ${partnerId}: ${logged - found} leaves of the log have no entry`;
        report.fault(name, text);
      }
    }
  },
};
