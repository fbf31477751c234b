import { type Mode, modes } from '../../domain/mode.ts';
import type { Posting, WalletRef } from '../../domain/postings.ts';
import type { Redemption, RedemptionStatus } from '../../domain/redemption.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { AuditDeps } from '../audit.ts';
import type { AuditedLedger } from '../ledgers.ts';
import type { DocCheck } from '../sources.ts';
import { spelled } from './spelled.ts';

type Place = 'free' | 'held' | 'spent';

/** What each entry moves, by the prefix of its reference. Written independently of the code that moves it. */
const kinds: Record<string, { kind: string; from: Place; to: Place }> = {
  hold: { kind: 'HOLD', from: 'free', to: 'held' },
  redeem: { kind: 'REDEEM', from: 'free', to: 'spent' },
  capture: { kind: 'REDEEM', from: 'held', to: 'spent' },
  unhold: { kind: 'UNHOLD', from: 'held', to: 'free' },
  reverse: { kind: 'REVERSE', from: 'spent', to: 'free' },
};

const accountsOf = (place: Place, customerId: string): [cents: string, points: string] => {
  switch (place) {
    case 'free':
      return [`payable:${customerId}`, `points:${customerId}`];
    case 'held':
      return [`held:${customerId}`, `heldPoints:${customerId}`];
    case 'spent':
      return ['redeemed', 'pointsRedeemed'];
  }
};

/** The entries that a redemption leaves in each state; those of a hold begin with one. */
const after: Record<RedemptionStatus, readonly string[]> = {
  HELD: [],
  CAPTURED: ['redeem'],
  RELEASED: ['unhold'],
  EXPIRED: ['unhold'],
  REVERSED: ['redeem', 'reverse'],
};

const wordsOf = ({ status, expiresAt }: Redemption): string[] => [
  ...(expiresAt === null ? [] : ['hold']),
  ...after[status],
];

/** An operator's redemption is named by the operator's reference. */
const referenceOf = (redemption: Redemption, word: string): string => {
  const isOperators = redemption.integrationId === null && word === 'redeem';
  return `${word}:${isOperators ? redemption.externalRedemptionId : redemption._id}`;
};

function problemOf(redemption: Redemption, word: string, entry: EntryDoc): string | undefined {
  const { customerId, points, owedCents, expiresAt } = redemption;
  const expected = kinds[word === 'redeem' && expiresAt !== null ? 'capture' : word];
  if (expected === undefined) return `${entry.reference} is no entry of a redemption`;
  const [fromCents, fromPoints] = accountsOf(expected.from, customerId);
  const [toCents, toPoints] = accountsOf(expected.to, customerId);
  const postings: Posting[] = [
    { account: fromCents, unit: 'CENTS', amount: -owedCents },
    { account: toCents, unit: 'CENTS', amount: owedCents },
    { account: fromPoints, unit: 'POINTS', amount: -points },
    { account: toPoints, unit: 'POINTS', amount: points },
  ];
  const moving = (some: readonly Posting[]) => spelled(some.filter(({ amount }) => amount !== 0));
  if (entry.kind === expected.kind && moving(entry.postings) === moving(postings)) return undefined;
  return `${entry.reference} is ${entry.kind} and moves ${moving(entry.postings)}, instead of ${expected.kind} and ${moving(postings)}`;
}

/** Every redemption has the entries of its state in its mode's ledger. */
export const redemptionsAreBooked: DocCheck<Redemption> = {
  name: 'redemptions: each has its entries, and no other',
  async problemsOf({ models }, partnerId, redemptions) {
    const references = redemptions.flatMap((one) =>
      ['hold', 'redeem', 'unhold', 'reverse'].map((word) => referenceOf(one, word)),
    );
    const found = await models.ledger.find({
      partnerId,
      mode: { $in: modes },
      reference: { $in: references },
    });
    const keyOf = (mode: Mode, reference: string) => `${mode} ${reference}`;
    const entries = new Map(found.map((entry) => [keyOf(entry.mode, entry.reference), entry]));
    return redemptions.flatMap((doc) => {
      const expected = wordsOf(doc);
      const problems = ['hold', 'redeem', 'unhold', 'reverse'].flatMap((word) => {
        const reference = referenceOf(doc, word);
        const entry = entries.get(keyOf(doc.mode, reference));
        if (!expected.includes(word)) {
          return entry === undefined ? [] : [`${reference} should not be there`];
        }
        if (entry === undefined) return [`${reference} is missing`];
        return problemOf(doc, word, entry) ?? [];
      });
      return problems.map((problem) => ({
        doc,
        text: `${doc._id}, partner ${partnerId}, ${doc.status}: ${problem}`,
      }));
    });
  },
};

/** By its reference or its kind, so that forging one of them is not enough. */
const isOfRedemption = ({ reference, kind }: EntryDoc): boolean =>
  /^(hold|redeem|unhold|reverse):/.test(reference) ||
  ['HOLD', 'REDEEM', 'UNHOLD', 'REVERSE'].includes(kind);

/** The reverse check: every such entry has its redemption. */
export const entriesHaveRedemptions = ({ name, mode }: AuditedLedger): DocCheck<EntryDoc> => ({
  name: `${name}: every redemption in it was made`,
  async problemsOf(deps, partnerId, entries) {
    const moved = entries.filter(isOfRedemption);
    const known = await namesOf(deps, { partnerId, mode }, moved.map(nameIn));
    return moved
      .filter((entry) => !known.has(nameIn(entry)))
      .map((doc) => ({
        doc,
        text: `${doc._id} (${doc.reference}), partner ${partnerId}: there is no such redemption`,
      }));
  },
});

const nameIn = ({ reference }: EntryDoc): string => reference.slice(reference.indexOf(':') + 1);

async function namesOf(
  { models: { redemptions } }: AuditDeps,
  of: WalletRef,
  names: readonly string[],
): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const ids = names.filter((name) => name.startsWith('red_'));
  const references = names.filter((name) => !name.startsWith('red_'));
  const [partners, operators] = await Promise.all([
    redemptions.find({ ...of, _id: { $in: ids } }),
    redemptions.find({
      ...of,
      integrationId: null,
      externalRedemptionId: { $in: references },
    }),
  ]);
  return new Set([
    ...partners.map(({ _id }) => _id),
    ...operators.map(({ externalRedemptionId }) => externalRedemptionId),
  ]);
}
