import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { section } from './components.ts';
import { field, form } from './form.ts';
import { type Html, html, number } from './format.ts';

/** The form that corrects the contact of an unclaimed reward, and what that does. */
export function contactCorrection(
  ctx: Pick<PageContext, 'path' | 'state'>,
  { points }: RewardDoc,
  filled: Filled,
): Html {
  return html`${section(
    'What it does',
    html`<p>${points === 1 ? 'The point becomes that' : html`The ${number(points)} points become those`} of whoever you name, for a whole claim window from now. They get a new claim link, and the old one stops working; the earlier contact is told that it was a mistake. If your integration delivers its claim links itself, the link stays the same and we tell nobody. A contact can be corrected only once.</p>`,
  )}
<div class="card narrow">${form(
    ctx,
    { action: ctx.path, submit: 'Correct contact', filled },
    field({
      name: 'contact',
      label: 'Email or phone',
      filled,
      isRequired: true,
      maxLength: 255,
      autocomplete: 'off',
    }),
  )}</div>`;
}
