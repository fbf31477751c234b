import { liveBook } from '../../../domain/postings.ts';
import type { AuditEntryDoc } from '../../admin.ts';
import type { DocCheck } from '../sources.ts';

/** What an operator says to have topped up stands in the ledger. */
export const topUpsArrived: DocCheck<AuditEntryDoc> = {
  name: 'ledger: every top-up by an operator is there',
  async problemsOf({ books }, partnerId, deeds) {
    const referenceOf = ({ details }: AuditEntryDoc) => `topUp:${details.reference}`;
    const entries = await books.ledger.model
      .find({ partnerId, reference: { $in: deeds.map(referenceOf) } })
      .lean();
    const entryOf = new Map(entries.map((entry) => [entry.reference, entry]));
    return deeds.flatMap((doc) => {
      const reference = referenceOf(doc);
      const named = `${reference}, partner ${partnerId}, audit entry ${doc._id}`;
      const entry = entryOf.get(reference);
      if (!entry) return [{ doc, text: `${named}: it is missing` }];
      const cents = entry.postings.find(({ account }) => account === liveBook.funding)?.amount;
      if (cents === doc.details.amountCents) return [];
      return [
        {
          doc,
          text: `${named}: ${entry._id} has ${cents} cents instead of ${doc.details.amountCents}`,
        },
      ];
    });
  },
};
