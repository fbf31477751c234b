import type { EarningRule } from '../../domain/earning-rules.ts';
import { toEarningRule } from '../rewards/rules.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** How to name the pieces of evidence for a step, by their ids. */
export type EvidenceNames = ReadonlyMap<string, EvidenceName>;

export type EvidenceName =
  | { kind: 'INTEGRATION'; name: string }
  | { kind: 'KEY'; apiKey: string }
  | { kind: 'RULE'; rule: EarningRule }
  | { kind: 'EVENT'; type: OrderEventDoc['type']; externalOrderId: string }
  | { kind: 'REWARD'; points: number }
  | { kind: 'TOP_UP'; cents: number };

type Named = readonly [id: string, name: EvidenceName];

/**
 * Reads the names of evidence. Ids that are unknown, or another partner's, are left out.
 * @param ids a few ids of any type
 */
export async function readEvidence(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  ids: readonly string[],
): Promise<EvidenceNames> {
  const own = (prefix: string) => ({
    partnerId,
    _id: { $in: ids.filter((id) => id.startsWith(`${prefix}_`)) },
  });
  const { integrations, credentials, earningRules, orderEvents, rewards, ledger, testFunding } =
    models;
  const named: Named[][] = await Promise.all([
    integrations.find(own('int')).then(all(({ name }) => ({ kind: 'INTEGRATION', name }))),
    credentials.find(own('key')).then(all(({ apiKey }) => ({ kind: 'KEY', apiKey }))),
    earningRules
      .find(own('rul'))
      .then(all((rule) => ({ kind: 'RULE', rule: toEarningRule(rule) }))),
    orderEvents
      .find(own('evt'), { type: 1, externalOrderId: 1 })
      .then(all(({ type, externalOrderId }) => ({ kind: 'EVENT', type, externalOrderId }))),
    rewards.find(own('PNR'), { points: 1 }).then(all(({ points }) => ({ kind: 'REWARD', points }))),
    ...[ledger, testFunding].map((chain) =>
      chain
        .find(own('txn'), { postings: 1 })
        .then(all(({ postings }) => ({ kind: 'TOP_UP', cents: toppedUpCents(postings) }))),
    ),
  ]);
  return new Map(named.flat());
}

const all =
  <Doc extends { _id: string }>(nameOf: (doc: Doc) => EvidenceName) =>
  (docs: readonly Doc[]): Named[] =>
    docs.map((doc) => [doc._id, nameOf(doc)]);

const toppedUpCents = (postings: readonly { amount: number }[]): number =>
  Math.max(...postings.map(({ amount }) => amount));
