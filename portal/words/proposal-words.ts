import type { ProposalDoc } from '../../models/schemas/proposal.ts';
import type { ProposalNames } from '../../models/views/proposal-names.ts';
import { wordsOf } from '../html/components.ts';
import { moneyText, numberText } from '../html/format.ts';

/** What a proposal will do, in a sentence. */
export function proposalSentence(
  { action, partnerId, targetId, details, facts }: ProposalDoc,
  names: ProposalNames,
): string {
  const text = (name: string): string => String(details[name] ?? '');
  const number = (name: string): number => Number(details[name] ?? 0);
  const factMoney = (name: string): string =>
    moneyText(Number(facts[name] ?? 0), String(facts.currency ?? names.currencyOf(partnerId)));
  const partner = names.nameOf(partnerId);
  switch (action) {
    case 'partner.top-up': {
      const amount = moneyText(number('amountCents'), text('currency'));
      return `Put ${amount} into the LIVE funds of ${partner}, under the reference “${text('reference')}”.`;
    }
    case 'customer.redeem':
      return `Let a customer of ${partner} spend ${numberText(number('points'))} points, worth ${factMoney('cents')} at most, under the reference “${text('reference')}”.`;
    case 'review.decide': {
      const verb = text('decision') === 'UPHOLD' ? 'Uphold' : 'Dismiss';
      return `${verb} the refund of ${partner}’s order ${names.orderOf(targetId)}: ${wordsOf(text('reasonCode')).toLowerCase()}. It takes back ${factMoney('cents')}.`;
    }
    case 'earning-rule.activate':
      return `Activate a LIVE rule of ${partner}: an order earns up to ${factMoney('largestRewardCents')}.`;
    case 'earning-rule.deactivate':
      return `Deactivate a LIVE rule of ${partner}: its purchases are refused from then on.`;
    case 'partner.update':
      return `Change the contract of ${partner}: what its LIVE rules may be worth.`;
    case 'customer.erase':
      return `Erase a customer of ${partner}, for good, under the reference “${text('reference')}”.`;
    case 'partner.approve-go-live':
      return `Make ${partner} live: it gets LIVE keys, and its purchases give real rewards.`;
    case 'partner.invite':
      return `Invite an owner of ${partner}, who may do everything there. The address is below.`;
    case 'credential.create':
      return `Make a ${text('mode')} key of ${partner} for ${names.nameOf(text('integrationId'))}.`;
    case 'credential.rotate':
      return `Give a LIVE key of ${partner} one more signing secret.`;
    case 'operator.create':
      return `Make an operator, ${text('name')}, who is ${text('role')} and signs in as ${String(facts.email ?? '')}.`;
    case 'operator.change-role':
      return `Make the operator ${names.nameOf(targetId)} ${text('to')}, who is ${text('from')}.`;
    case 'operator.reset-second-factor':
      return `Take the second factor from the operator ${names.nameOf(targetId)}, who is signed out everywhere.`;
    default:
      throw new Error(`no operation is proposed as ${action}`);
  }
}
