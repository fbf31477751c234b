import { toEarningRule } from '../../models/rules.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import { earnsWords } from '../rule-words.ts';
import { wordsOf } from './components.ts';
import { moneyText, pointsWords } from './format.ts';
import type { Html } from './html.ts';
import { idLink } from './id-link.ts';
import { shortKey } from './key-table.ts';

type Named = readonly [id: string, text: string];

/**
 * How what proves something is shown: in words that its owner knows it by, with a link to its page. What
 * is not the partner's, or is gone, shows by its id.
 * @param ids of whatever proves something, a few
 */
export async function evidenceLinks(
  models: Models,
  { _id: partnerId, currency }: PartnerDoc,
  ids: readonly string[],
): Promise<(id: string) => Html> {
  const own = (prefix: string) => ({
    partnerId,
    _id: { $in: ids.filter((id) => id.startsWith(`${prefix}_`)) },
  });
  const { integrations, credentials, earningRules, orderEvents, rewards, ledger, testFunding } =
    models;
  const named: Named[][] = await Promise.all([
    integrations
      .find(own('int'))
      .lean()
      .then(all(({ name }) => name)),
    credentials
      .find(own('key'))
      .lean()
      .then(all(({ apiKey }) => shortKey(apiKey))),
    earningRules
      .find(own('rul'))
      .lean()
      .then(all((rule) => earnsWords(toEarningRule(rule)))),
    orderEvents
      .find(own('evt'), { type: 1, externalOrderId: 1 })
      .lean()
      .then(all(({ type, externalOrderId }) => `${wordsOf(type)} of order ${externalOrderId}`)),
    rewards
      .find(own('PNR'), { points: 1 })
      .lean()
      .then(all(({ points }) => `Reward of ${pointsWords(points)}`)),
    ...[ledger, testFunding].map((chain) =>
      chain
        .find(own('txn'), { postings: 1 })
        .lean()
        .then(all(({ postings }) => `Top-up of ${moneyText(arrivedIn(postings), currency)}`)),
    ),
  ]);
  const texts = new Map(named.flat());
  return (id) => idLink(id, texts.get(id));
}

const all =
  <Doc extends { _id: string }>(textOf: (doc: Doc) => string) =>
  (docs: readonly Doc[]): Named[] =>
    docs.map((doc) => [doc._id, textOf(doc)]);

const arrivedIn = (postings: readonly { amount: number }[]): number =>
  Math.max(...postings.map(({ amount }) => amount));
