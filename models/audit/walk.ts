import { type ChainedPosting, chainIndex, type EntryDoc } from '../schemas/entries.ts';
import type { AuditedChain } from './audited-chains.ts';
import type { Checkpoint } from './checkpoints.ts';
import { byBytes, pageSize, pagesOf } from './pages.ts';

/** A posting and its transaction. */
export interface Placed {
  entry: EntryDoc;
  posting: ChainedPosting;
}

/**
 * The newest posting of each account of a partner: the first index key after an account is the
 * newest posting of the next.
 */
export async function* headsOf({ chain }: AuditedChain, partnerId: string): AsyncGenerator<Placed> {
  for (let last = ''; ; ) {
    const [entry] = await chain.model
      .find({ partnerId, postings: { $elemMatch: { account: { $gt: last } } } })
      .hint(chainIndex)
      .limit(1);
    if (!entry) return;
    const posting = entry.postings
      .filter(({ account }) => byBytes(account, last) > 0)
      .toSorted((a, b) => byBytes(a.account, b.account) || b.seq - a.seq)[0];
    if (!posting) return;
    yield { entry, posting };
    last = posting.account;
  }
}

/** The postings of an account before a given one, newest first. */
export async function* postingsBelow(
  { chain }: AuditedChain,
  { entry: { partnerId }, posting: newest }: Placed,
): AsyncGenerator<Placed> {
  const { account } = newest;
  // Saves a read for most accounts of customers, which have one posting.
  if (newest.seq === 1) return;
  const read = async (last: Placed | undefined): Promise<Placed[]> => {
    const below = last?.posting.seq ?? newest.seq;
    const entries = await chain.model
      .find({ partnerId, postings: { $elemMatch: { account, seq: { $lt: below } } } })
      .hint(chainIndex)
      .limit(pageSize);
    return entries.flatMap((entry) => {
      const posting = entry.postings.find((one) => one.account === account && one.seq < below);
      return posting ? [{ entry, posting }] : [];
    });
  };
  for await (const page of pagesOf(read)) yield* page;
}

/** Whether an account still has a posting that was seen before. */
export async function isStillThere(
  { chain }: AuditedChain,
  { partnerId, account, seq, hash }: Pick<Checkpoint, 'partnerId' | 'account' | 'seq' | 'hash'>,
): Promise<boolean> {
  const found = await chain.model
    .findOne({ partnerId, postings: { $elemMatch: { account, seq, hash } } }, { _id: 1 })
    .hint(chainIndex);
  return found !== null;
}
