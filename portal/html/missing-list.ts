import type { Checklist, ChecklistItem } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { remedyOf } from '../words/go-live-words.ts';
import { missingLabels } from '../words/profile-words.ts';
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
      return `Fill in: ${missingLabels(partner).join(', ')}.`;
    case 'EARNING_RULE':
      return 'Promote a TEST rule to LIVE. An owner can do this and sees first what changes.';
    case 'FUNDING':
      return `Your balance is ${money(funding.balanceCents)}; at least ${money(Math.max(1, funding.minimumCents))} is required. Top up the difference.`;
    case 'INTEGRATION':
      return 'Create an integration. It only needs a name.';
    case 'TEST_PURCHASE':
      return 'Send a signed TEST purchase, from the test console or your own system.';
    case 'TEST_REFUND':
      return 'Send a signed refund of a TEST purchase.';
    case 'APPROVAL':
      if (partner.goLive.state === 'IN_REVIEW') return 'An operator reviews your request.';
      return isReady
        ? 'Everything else is complete: request go-live.'
        : 'You can request go-live once everything else is complete.';
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
