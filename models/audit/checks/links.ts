import { mustNotGoNegative } from '../../../domain/postings.ts';
import type { AuditedChain } from '../audited-chains.ts';
import type { Placed } from '../walk.ts';

/** A posting and its predecessor in the account, if any. */
export interface Link extends Placed {
  older: Placed | undefined;
}

/** A condition on each posting and its predecessor. */
export interface LinkCheck {
  name: string;
  /** @returns the problem with the posting, if any */
  problemOf(link: Link, chain: AuditedChain): string | undefined;
}

const unbroken: LinkCheck = {
  name: 'chains are unbroken',
  problemOf({ posting, older }) {
    const beforeSeq = older?.posting.seq ?? 0;
    if (posting.seq - beforeSeq > 1) {
      const lastMissing = posting.seq - 1;
      return lastMissing === beforeSeq + 1
        ? `number ${lastMissing} before it is missing`
        : `numbers ${beforeSeq + 1} to ${lastMissing} before it are missing`;
    }
    if (posting.seq <= beforeSeq) return `its number is also that of ${older?.entry._id}`;
    if (posting.previousHash !== (older?.posting.hash ?? '')) {
      return `it does not follow ${older?.entry._id ?? 'an empty account'}`;
    }
    return undefined;
  },
};

/** If it is met by every posting, the newest balance is the sum of all amounts. */
const balances: LinkCheck = {
  name: 'balances equal the sum of their entries',
  problemOf({ posting, older }) {
    // A gap is reported by the check of the chain, not as a wrong balance.
    if (posting.seq !== (older?.posting.seq ?? 0) + 1) return undefined;
    const before = older?.posting.balanceAfter ?? 0;
    const expected = before + posting.amount;
    if (Number.isSafeInteger(expected) && posting.balanceAfter === expected) return undefined;
    return `its balance is ${posting.balanceAfter}, but ${before} before it plus ${posting.amount} is ${expected}`;
  },
};

const genuine: LinkCheck = {
  name: 'no posting is forged or changed',
  problemOf: ({ entry, posting }, { chain }) =>
    isGenuine(chain, entry, posting)
      ? undefined
      : 'its hash is not the one that was written originally',
};

const solvent: LinkCheck = {
  name: 'nobody’s account is below zero',
  problemOf: ({ posting: { account, balanceAfter } }) =>
    mustNotGoNegative(account) && balanceAfter < 0 ? `it leaves ${balanceAfter}` : undefined,
};

export const linkChecks: readonly LinkCheck[] = [unbroken, balances, genuine, solvent];

/** A tampered posting may lack fields that the hash is made from. */
export function isGenuine(
  chain: AuditedChain['chain'],
  ...[entry, posting]: Parameters<AuditedChain['chain']['isGenuine']>
): boolean {
  try {
    return chain.isGenuine(entry, posting);
  } catch {
    return false;
  }
}
