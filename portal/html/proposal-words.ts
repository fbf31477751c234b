import { assertNever } from '../../domain/assert-never.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { ProposalDoc } from '../../models/schemas/proposal.ts';
import { wordsOf } from './components.ts';
import { moneyText, numberText } from './format.ts';

/** What is known of what a proposal names, by its ids. */
interface Names {
  nameOf(id: string | null): string;
  currencyOf(partnerId: string | null): string;
  orderOf(reviewId: string | null): string;
}

/** What each of some proposals will do, in a sentence, by the proposals' ids. */
export async function proposalWords(
  models: Models,
  proposals: readonly ProposalDoc[],
): Promise<Map<string, string>> {
  const names = await readNames(models, proposals);
  return new Map(proposals.map((one) => [one._id, sentenceOf(one, names)]));
}

function sentenceOf({ action, partnerId, targetId, details }: ProposalDoc, names: Names): string {
  const text = (name: string): string => String(details[name] ?? '');
  const number = (name: string): number => Number(details[name] ?? 0);
  const partner = names.nameOf(partnerId);
  switch (action) {
    case 'partner.top-up': {
      const amount = moneyText(number('amountCents'), names.currencyOf(partnerId));
      return `Put ${amount} into the LIVE funds of ${partner}, under the reference “${text('reference')}”.`;
    }
    case 'customer.redeem':
      return `Let a customer of ${partner} spend ${numberText(number('points'))} points, under the reference “${text('reference')}”.`;
    case 'review.decide': {
      const verb = text('decision') === 'UPHOLD' ? 'Uphold' : 'Dismiss';
      return `${verb} the refund of ${partner}’s order ${names.orderOf(targetId)}: ${wordsOf(text('reasonCode')).toLowerCase()}.`;
    }
    case 'customer.erase':
      return `Erase a customer of ${partner}, for good, under the reference “${text('reference')}”.`;
    case 'partner.approve-go-live':
      return `Make ${partner} live: it gets LIVE keys, and its purchases give real rewards.`;
    case 'partner.invite':
      return `Invite one more owner of ${partner}, who may do everything there. The address is below.`;
    case 'credential.create':
      return `Make a ${text('mode')} key of ${partner} for ${names.nameOf(text('integrationId'))}.`;
    case 'credential.rotate':
      return `Give a LIVE key of ${partner} one more signing secret.`;
    case 'operator.create':
      return `Make an operator, ${text('name')}, who is ${text('role')}.`;
    case 'operator.change-role':
      return `Make the operator ${names.nameOf(targetId)} ${text('to')}, who is ${text('from')}.`;
    case 'operator.rotate-token':
      return `Give the operator ${names.nameOf(targetId)} one more token.`;
    case 'operator.reset-second-factor':
      return `Take the second factor from the operator ${names.nameOf(targetId)}, who is signed out everywhere.`;
    default:
      return assertNever(action, 'proposal');
  }
}

async function readNames(models: Models, proposals: readonly ProposalDoc[]): Promise<Names> {
  const ids = new Set(
    proposals.flatMap(({ partnerId, targetId, details: { integrationId } }) =>
      [partnerId, targetId, integrationId].filter((id) => typeof id === 'string'),
    ),
  );
  const among = { _id: { $in: [...ids] } };
  const [partners, integrations, admins, reviews] = await Promise.all([
    models.partners.find(among, { name: 1, currency: 1 }).lean(),
    models.integrations.find(among, { name: 1 }).lean(),
    models.admins.find(among, { name: 1 }).lean(),
    models.reviews.find(among, { externalOrderId: 1 }).lean(),
  ]);
  const names = new Map(
    [...partners, ...integrations, ...admins].map((one) => [one._id, one.name]),
  );
  const currencies = new Map(partners.map(({ _id, currency }) => [_id, currency]));
  const orders = new Map(reviews.map(({ _id, externalOrderId }) => [_id, externalOrderId]));
  return {
    nameOf: (id) => names.get(id ?? '') ?? id ?? 'nobody',
    currencyOf: (partnerId) => currencies.get(partnerId ?? '') ?? 'USD',
    orderOf: (reviewId) => orders.get(reviewId ?? '') ?? reviewId ?? '',
  };
}
