import type { ProposalDoc } from '../../models/schemas/proposal.ts';
import type { ProposalNames } from '../../models/views/proposal-names.ts';
import { wordsOf } from '../html/components.ts';
import { moneyText, numberText } from '../html/format.ts';
import { say } from './say.ts';

/** A sentence that says what a proposal will do. */
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
      return say('proposal.sentence.putInto', { amount, partner, reference: text('reference') });
    }
    case 'customer.redeem':
      return say('proposal.sentence.letCustomer', {
        partner,
        points: numberText(number('points')),
        worth: factMoney('cents'),
        reference: text('reference'),
      });
    case 'review.decide':
      return say('proposal.sentence.review', {
        decision: text('decision'),
        partner,
        order: names.orderOf(targetId),
        reason: wordsOf(text('reasonCode')).toLowerCase(),
        taken: factMoney('cents'),
      });
    case 'earning-rule.activate':
      return say('proposal.sentence.activateLive', {
        partner,
        largest: factMoney('largestRewardCents'),
      });
    case 'earning-rule.deactivate':
      return say('proposal.sentence.deactivateLive', { partner });
    case 'partner.update':
      return say('proposal.sentence.changeContract', { partner });
    case 'customer.erase':
      return say('proposal.sentence.eraseCustomer', { partner, reference: text('reference') });
    case 'partner.approve-go-live':
      return say('proposal.sentence.makeLive', { partner });
    case 'partner.invite':
      return say('proposal.sentence.inviteOwner', { partner });
    case 'credential.create':
      return say('proposal.sentence.makeKey', {
        mode: text('mode'),
        partner,
        integration: names.nameOf(text('integrationId')),
      });
    case 'credential.rotate':
      return say('proposal.sentence.giveLive', { partner });
    case 'operator.create':
      return say('proposal.sentence.makeOperator', {
        name: text('name'),
        role: text('role'),
        email: String(facts.email ?? ''),
      });
    case 'operator.change-role':
      return say('proposal.sentence.makeTheOperatorWhoIs', {
        name: names.nameOf(targetId),
        to: text('to'),
        from: text('from'),
      });
    case 'operator.reset-second-factor':
      return say('proposal.sentence.takeSecond', { name: names.nameOf(targetId) });
    default:
      throw new Error(`no sentence for proposals of ${action}`);
  }
}
