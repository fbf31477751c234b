import type { PointsLife } from '../../domain/points-end.ts';
import type { ReviewReason } from '../../domain/review.ts';
import type { ProposalDoc } from '../../models/schemas/audit.ts';
import type { ProposalNames } from '../../views/approvals.ts';
import { wordsOf } from '../components/components.ts';
import { moneyText, plural, pointsWords } from '../components/format.ts';
import { reasonWords } from '../components/money.ts';
import { pointsLifeWords } from './points-end-words.ts';
import { policySentence, type ShownPolicy } from './policy-words.ts';
import { wordsOfField } from './profile-words.ts';

const fieldsIn = (changes: unknown): string =>
  Object.keys((changes ?? {}) as object)
    .map((name) => wordsOfField(name).toLowerCase())
    .join(', ');

/** A sentence that says what a proposal will do. */
export function proposalSentence(
  { action, partnerId, targetId, details, shown }: ProposalDoc,
  names: ProposalNames,
): string {
  const text = (name: string): string => String(details[name] ?? '');
  const number = (name: string): number => Number(details[name] ?? 0);
  const shownMoney = (name: string): string =>
    moneyText(Number(shown[name] ?? 0), String(shown.currency ?? names.currencyOf(partnerId)));
  const partner = names.nameOf(partnerId);
  switch (action) {
    case 'partner.top-up': {
      const amount = moneyText(number('amountCents'), text('currency'));
      return `Top up the LIVE funding of ${partner} by ${amount}, under the reference “${text('reference')}”.`;
    }
    case 'partner.withdraw':
      return `Pay ${shownMoney('amountCents')} of the unused funding back to ${partner}, under the reference “${text('reference')}”.`;
    case 'partner.correct-top-up':
      return `Take back ${shownMoney('amountCents')} of ${partner}’s top-up of ${shownMoney('topUpCents')} (${String(shown.topUpReference ?? '').replace(/^topUp:/, '')}), under the reference “${text('reference')}”.`;
    case 'invoice.record-payment':
      return `Record a payment of ${shownMoney('amountCents')} on ${text('paidOn')} for ${partner}’s invoice ${text('number')} of ${shownMoney('totalCents')}, under the reference “${text('reference')}”.`;
    case 'invoice.reverse-payment':
      return `Reverse the payment “${text('reference')}” of ${shownMoney('amountCents')} for ${partner}’s invoice ${text('number')}: it did not arrive, and is due again.`;
    case 'invoice.void':
      return `Void ${partner}’s invoice ${text('number')} of ${shownMoney('totalCents')} by a credit note: nothing is due for it any more.`;
    case 'customer.redeem':
      return `Redeem ${pointsWords(number('points'))} of a customer of ${partner}, worth up to ${shownMoney('cents')}, under the reference “${text('reference')}”.`;
    case 'review.decide':
      return `${text('decision') === 'UPHOLD' ? 'Uphold' : 'Dismiss'} the refund of ${partner}’s order ${names.orderOf(targetId)}: ${reasonWords[text('reasonCode') as ReviewReason].toLowerCase()}. ${text('decision') === 'UPHOLD' ? 'It takes back' : 'The customer keeps'} ${shownMoney('cents')}.`;
    case 'reward.cancel':
      return `Cancel the reward for ${partner}’s order ${names.orderOf(targetId)}: nobody can claim its ${pointsWords(Number(shown.points))} any more, and ${shownMoney('cents')} goes back to the funding.`;
    case 'reward.reinstate':
      return `Reinstate the reward for ${partner}’s order ${names.orderOf(targetId)}, whose refund was a mistake: ${shownMoney('cents')} is reserved anew, under the reference “${text('reference')}”.`;
    case 'reward.correct-contact':
      return `Correct the contact of the reward for ${partner}’s order ${names.orderOf(targetId)}, worth ${shownMoney('cents')}: it is another customer’s, who gets a new claim link.`;
    case 'earning-rule.activate':
      return `Activate a LIVE rule of ${partner}: an order earns up to ${shownMoney('largestRewardCents')}.`;
    case 'earning-rule.deactivate':
      return `Deactivate a LIVE rule of ${partner}: the purchases it applies to are refused from then on, unless another rule applies.`;
    case 'refund-policy.activate':
      return `Activate a LIVE refund policy of ${partner}: ${policySentence(shown as unknown as ShownPolicy)}`;
    case 'refund-policy.deactivate':
      return `Deactivate the LIVE refund policy of ${partner}: operators decide all refunds of claimed rewards from then on.`;
    case 'points-end.set':
      return `Change when LIVE points of ${partner}’s customers end: ${pointsLifeWords(shown.after as PointsLife | null)}. What they have by then never ends.`;
    case 'partner.update':
      return `Change ${fieldsIn(shown.changes)} of ${partner}.`;
    case 'customer.erase':
      return `Erase a customer of ${partner} permanently, under the reference “${text('reference')}”.`;
    case 'partner.approve-go-live':
      return `Make ${partner} live: it gets LIVE keys, and its purchases create real rewards.`;
    case 'partner.invite':
      return text('role') === 'owner'
        ? `Invite an owner of ${partner}, who can do everything there.`
        : `Invite a ${text('role')} of ${partner}, which is LIVE.`;
    case 'integration.update':
      return `Change who delivers the claim links of ${names.nameOf(targetId)}, of ${partner}, which is LIVE: ${text('delivery') === 'PARTNER' ? 'the partner does' : 'we do'}.`;
    case 'credential.create':
      return `Create a ${text('mode')} key of ${partner} for ${names.nameOf(text('integrationId'))}, valid for ${plural(Number(shown.days), 'day', 'days')}.`;
    case 'credential.rotate':
      return `Create another signing secret for a LIVE key of ${partner}, which an owner of it is shown.`;
    case 'webhook-endpoint.create':
      return `Create a LIVE webhook endpoint of ${partner} at ${String(shown.origin ?? '')}, whose secret an owner of it is shown.`;
    case 'webhook-endpoint.update':
      return `Change a LIVE webhook endpoint of ${partner} at ${String(shown.origin ?? '')}.`;
    case 'webhook-endpoint.delete':
      return `Delete a LIVE webhook endpoint of ${partner} at ${String(shown.origin ?? '')}, with what waits for it.`;
    case 'webhook-endpoint.rotate-secret':
      return `Create another secret for a LIVE webhook endpoint of ${partner}, which an owner of it is shown.`;
    case 'subscription.create':
      return `Subscribe ${partner} to ${String(shown.plan ?? '')}: it owes ${shownMoney('priceCents')} a ${wordsOf(String(shown.interval ?? '')).toLowerCase()}, and more for points beyond the ${pointsWords(Number(shown.includedPoints))} included.`;
    case 'subscription.change':
      return `Change ${partner}’s plan from ${String(shown.from ?? '')} to ${String(shown.plan ?? '')}: ${shownMoney('priceCents')} a ${wordsOf(String(shown.interval ?? '')).toLowerCase()}.`;
    case 'user.reset-second-factor':
      return `Reset the second factor of ${names.nameOf(targetId)}, an owner of ${partner}, who is signed out everywhere.`;
    case 'operator.create':
      return `Create the operator ${text('name')}, with the role ${text('role')}, who signs in as ${String(shown.email ?? '')}.`;
    case 'operator.change-role':
      return `Change the role of the operator ${names.nameOf(targetId)} from ${text('from')} to ${text('to')}.`;
    case 'operator.reset-second-factor':
      return `Reset the second factor of the operator ${names.nameOf(targetId)}, who is signed out everywhere.`;
    default:
      throw new Error(`no sentence for proposals of ${action}`);
  }
}
