import { accounts } from '../../domain/postings.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { DocCheck } from '../sources.ts';

/** What a correction takes back, a top-up had brought to the same wallet before it. */
export const correctionsNameTopUps: DocCheck<EntryDoc> = {
  name: 'ledger: each correction names its top-up, and takes back no more than it',
  async problemsOf({ models }, partnerId, entries) {
    const isCorrection = ({ kind, reference }: EntryDoc) =>
      kind === 'CORRECTION' || reference.startsWith('correct:');
    const corrections = entries.filter(isCorrection);
    if (corrections.length === 0) return [];
    const ids = corrections.flatMap(({ reverses = [] }) => reverses);
    const found = await models.ledger.find({ partnerId, mode: 'LIVE', _id: { $in: ids } });
    const topUps = new Map(found.map((one) => [one._id, one]));
    return corrections.flatMap((doc) => {
      const wrong = wrongAbout(doc, topUps.get(doc.reverses ?? ''));
      if (wrong === undefined) return [];
      return [{ doc, text: `${doc._id} (${doc.reference}), partner ${partnerId}: ${wrong}` }];
    });
  },
};

function wrongAbout(correction: EntryDoc, topUp: EntryDoc | undefined): string | undefined {
  const { seq, reverses } = correction;
  if (topUp?.kind !== 'TOP_UP' || topUp.seq > seq) {
    return `${reverses} is no top-up before it`;
  }
  const [backCents, cents] = [0 - fundingIn(correction), fundingIn(topUp)];
  return backCents <= cents ? undefined : `it takes back ${backCents} of ${cents}`;
}

const fundingIn = ({ postings }: EntryDoc): number =>
  postings.find(({ account }) => account === accounts.funding)?.amount ?? 0;
