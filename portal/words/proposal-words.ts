import type { ProposalDoc } from '../../models/schemas/proposal.ts';
import type { ProposalNames } from '../../models/views/proposal-names.ts';
import { wordsOf } from '../html/components.ts';
import { moneyText, numberText } from '../html/format.ts';

/** What a proposal will do, in a sentence. */
export function proposalSentence(
  { action, partnerId, targetId, details }: ProposalDoc,
  names: ProposalNames,
): string {
  const text = (name: string): string => String(details[name] ?? '');
  const number = (name: string): number => Number(details[name] ?? 0);
  const partner = names.nameOf(partnerId);
  switch (action) {
    case 'partner.top-up': {
      const amount = moneyText(number('amountCents'), text('currency'));
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
      throw new Error(`no operation is proposed as ${action}`);
  }
}
