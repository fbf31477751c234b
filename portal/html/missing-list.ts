import type { Checklist, ChecklistItem } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import { remedyOf } from '../words/go-live-words.ts';
import { missingLabels } from '../words/profile-words.ts';
import { say } from '../words/say.ts';
import { moneyText } from './format.ts';
import { type Html, html } from './html.ts';

/** What the partner still has to do for an item. */
export function missingWords(
  { requirement }: ChecklistItem,
  partner: PartnerDoc,
  {
    funding,
    isReady,
  }: { funding: { balanceCents: number; minimumCents: number }; isReady: boolean },
): string {
  const money = (cents: number) => moneyText(cents, partner.currency);
  switch (requirement) {
    case 'PROFILE':
      return say('missingList.missing', { missingLabels: missingLabels(partner).join(', ') });
    case 'EARNING_RULE':
      return say('missingList.missing.promoteTest');
    case 'FUNDING':
      return say('missingList.missing.balanceLeast', {
        balance: money(funding.balanceCents),
        minimum: money(Math.max(1, funding.minimumCents)),
      });
    case 'INTEGRATION':
      return say('missingList.missing.createIntegration');
    case 'TEST_PURCHASE':
      return say('missingList.missing.sendSigned');
    case 'TEST_REFUND':
      return say('missingList.missing.sendSignedRefund');
    case 'APPROVAL':
      if (partner.goLive.state === 'IN_REVIEW') return say('missingList.missing.operatorReviews');
      return isReady
        ? say('missingList.missing.everythingElse')
        : say('missingList.missing.requestGo');
  }
}

/** The remaining conditions for go-live, except the approval itself, each with a link to where it is met. */
export function missingList(
  { items, isReady }: Checklist,
  partner: PartnerDoc,
  funding: { balanceCents: number; minimumCents: number },
): Html {
  const unmet = items.filter(({ isMet, requirement }) => !isMet && requirement !== 'APPROVAL');
  return html`<ul>${unmet.map((item) => {
    const { title, path, button } = remedyOf(item.requirement);
    return html`<li><strong>${title}.</strong> ${missingWords(item, partner, { funding, isReady })} <a href="${path}">${button}</a></li>`;
  })}</ul>`;
}
