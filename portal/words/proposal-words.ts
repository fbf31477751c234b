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
      return say('proposal.sentence.topUp', { amount, partner, reference: text('reference') });
    }
    case 'customer.redeem':
      return say('proposal.sentence.redeemPoints', {
        partner,
        points: numberText(number('points')),
        worth: factMoney('cents'),
        reference: text('reference'),
      });
    case 'review.decide':
      return say('proposal.sentence.decideReview', {
        decision: text('decision'),
        partner,
        order: names.orderOf(targetId),
        reason: wordsOf(text('reasonCode')).toLowerCase(),
        taken: factMoney('cents'),
      });
    case 'earning-rule.activate':
      return say('proposal.sentence.activateRule', {
        partner,
        largest: factMoney('largestRewardCents'),
      });
    case 'earning-rule.deactivate':
      return say('proposal.sentence.deactivateRule', { partner });
    case 'partner.update':
      return say('proposal.sentence.changeLimits', { partner });
    case 'customer.erase':
      return say('proposal.sentence.eraseCustomer', { partner, reference: text('reference') });
    case 'partner.approve-go-live':
      return say('proposal.sentence.approveGoLive', { partner });
    case 'partner.invite':
      return say('proposal.sentence.inviteOwner', { partner });
    case 'credential.create':
      return say('proposal.sentence.createKey', {
        mode: text('mode'),
        partner,
        integration: names.nameOf(text('integrationId')),
      });
    case 'credential.rotate':
      return say('proposal.sentence.addSecret', { partner });
    case 'operator.create':
      return say('proposal.sentence.createOperator', {
        name: text('name'),
        role: text('role'),
        email: String(facts.email ?? ''),
      });
    case 'operator.change-role':
      return say('proposal.sentence.changeRole', {
        name: names.nameOf(targetId),
        to: text('to'),
        from: text('from'),
      });
    case 'operator.reset-second-factor':
      return say('proposal.sentence.resetSecondFactor', { name: names.nameOf(targetId) });
    default:
      throw new Error(`no sentence for proposals of ${action}`);
  }
}
