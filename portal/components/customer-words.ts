import { spendLinkOf } from '../../domain/branding.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { Merchant } from '../../views/customers.ts';
import type { PageLocalizer } from '../words/customer-localizer.ts';
import { linkButton } from './components.ts';
import { type Html, html, nothing, type Part } from './format.ts';

/** The data of a reward that customers' pages show. */
export type ShownReward = Pick<
  RewardDoc,
  'mode' | 'points' | 'liabilityCents' | 'currency' | 'claimExpiresAt' | 'moves' | 'afterReview'
> &
  Partial<Pick<RewardDoc, 'arithmetic' | 'claimableFrom'>>;

/** The partner's text, in its language. */
export const spendWords = ({ branding }: Merchant): Html =>
  branding?.spendText ? html`<p lang="${branding.language}">${branding.spendText}</p>` : nothing;

/** A link to the shop's site, without a referrer, since this page's address contains a secret. */
export function spendLink(partner: Merchant, { text }: PageLocalizer): Html {
  const url = spendLinkOf(partner);
  return url === null
    ? nothing
    : html`<p><a href="${url}" rel="noopener noreferrer">${text('spend')}</a></p>`;
}

/** A link to reload a page that may change soon. */
export const again = (path: string | null, { text, to }: PageLocalizer): Html =>
  path === null
    ? nothing
    : html`<p class="actions">${linkButton(to(path), text('again'), 'secondary')}</p>`;

/** The number of points in large type, slightly smaller if it is long. */
export function amount(parts: readonly Part[]): Html {
  return html`<span class="amount ${String(parts).length > 6 ? 'amount-long' : ''}">${parts}</span>`;
}

/** What the points are worth; empty in TEST and for points without a value. */
export function worth(
  {
    mode,
    points,
    liabilityCents,
    currency,
  }: Pick<ShownReward, 'mode' | 'points' | 'liabilityCents' | 'currency'>,
  localizer: PageLocalizer,
): string {
  if (mode === 'TEST' || liabilityCents === 0) return '';
  return ` ${localizer.text('worth', { points, money: localizer.money(liabilityCents, currency) })}`;
}

/** Contact text: the shop's email address rather than its site, which would see the referrer. */
export function help({ name: merchant, supportEmail }: Merchant, { say }: PageLocalizer): Html {
  if (supportEmail === null) return html`<p class="small">${say('contact', { merchant })}</p>`;
  const mail = (parts: readonly Part[]) => html`<a href="mailto:${supportEmail}">${parts}</a>`;
  return html`<p class="small">${say('email', { merchant, mail })}</p>`;
}

/** Contact text for when the partner is not known. */
export const helpOfShop = ({ text }: PageLocalizer): Html =>
  html`<p class="small">${text('contactShop')}</p>`;
