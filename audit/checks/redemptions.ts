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

/** The entries that a redemption leaves in each state; those of a hold begin with one, and parts that came back follow. */
const after: Record<RedemptionStatus, readonly string[]> = {
  HELD: [],
  CAPTURED: ['redeem'],
  RELEASED: ['unhold'],
  EXPIRED: ['unhold'],
  REVERSED: ['redeem', 'reverse'],
};

/** What an entry moves. */
type Moved = Pick<Redemption, 'points' | 'owedCents'>;

const partsOf = ({ moves }: Redemption): Moved[] => moves.flatMap(({ part }) => part ?? []);

/** The words of its entries, each with what it moves. */
function expectedOf(redemption: Redemption): Map<string, Moved> {
  const { status, expiresAt, points, owedCents } = redemption;
  const whole = { points, owedCents };
  const parts = partsOf(redemption);
  const rest = parts.reduce(
    (left, part) => ({
      points: left.points - part.points,
      owedCents: left.owedCents - part.owedCents,
    }),
    whole,
  );
  const words = [...(expiresAt === null ? [] : ['hold']), ...after[status]];
  const back = words.includes('reverse') ? [...parts, rest] : parts;
  return new Map([
    ...words.filter((word) => word !== 'reverse').map((word) => [word, whole] as const),
    ...back.map((moved, index) => [nthReversal(index), moved] as const),
  ]);
}

const nthReversal = (index: number): string => (index === 0 ? 'reverse' : `reverse ${index + 1}`);

/** Every entry that it may have, and one reversal more than it should. */
const wordsOf = (redemption: Redemption): string[] => [
  ...['hold', 'redeem', 'unhold'],
  ...Array.from({ length: partsOf(redemption).length + 2 }, (_, index) => nthReversal(index)),
];

/** An operator's redemption is named by the operator's reference. */
const referenceOf = (redemption: Redemption, word: string): string => {
  const isOperators = redemption.integrationId === null && word === 'redeem';
  const [kind, nth] = word.split(' ');
  const name = isOperators ? redemption.externalRedemptionId : redemption._id;
  return [kind, name, ...(nth === undefined ? [] : [nth])].join(':');
};

function problemOf(
  redemption: Redemption,
  word: string,
  { points, owedCents }: Moved,
  entry: EntryDoc,
): string | undefined {
  const { customerId, expiresAt } = redemption;
  const [kind = ''] = word.split(' ');
  const expected = kinds[kind === 'redeem' && expiresAt !== null ? 'capture' : kind];
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
      wordsOf(one).map((word) => referenceOf(one, word)),
    );
    const found = await models.ledger.find({
      partnerId,
      mode: { $in: modes },
      reference: { $in: references },
    });
    const keyOf = (mode: Mode, reference: string) => `${mode} ${reference}`;
    const entries = new Map(found.map((entry) => [keyOf(entry.mode, entry.reference), entry]));
    return redemptions.flatMap((doc) => {
      const expected = expectedOf(doc);
      const problems = wordsOf(doc).flatMap((word) => {
        const reference = referenceOf(doc, word);
        const entry = entries.get(keyOf(doc.mode, reference));
        const moved = expected.get(word);
        // A part that is worth less than a point and a minor unit moves nothing.
        if (moved === undefined || (moved.points === 0 && moved.owedCents === 0)) {
          return entry === undefined ? [] : [`${reference} should not be there`];
        }
        if (entry === undefined) return [`${reference} is missing`];
        return problemOf(doc, word, moved, entry) ?? [];
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

/** The id of a partner's redemption, which a number can follow, or the reference of an operator's. */
function nameIn({ reference }: EntryDoc): string {
  const name = reference.slice(reference.indexOf(':') + 1);
  return name.startsWith('red_') ? (name.split(':')[0] ?? name) : name;
}

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
