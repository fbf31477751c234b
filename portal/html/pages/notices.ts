import { type NoticeSwitch, noticeSwitches } from '../../../domain/notices.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { form, tickList } from '../form.ts';
import { html } from '../html.ts';
import { type Page, page } from '../view.ts';

const words: Record<NoticeSwitch, string> = {
  'funding.low': 'Funds run low',
  'funding.topped_up': 'Money came in',
  'reward.awaiting_funding': 'Rewards wait for funds',
  'usage.threshold': '80 or 100 % of the plan is used',
  'invoice.issued': 'An invoice was issued',
  'review.decided': 'A review was decided',
  'credential.created': 'A LIVE key was created',
  'credential.revoked': 'A LIVE key was revoked',
  'service_account.changed': 'A LIVE service account was created, rotated or revoked',
  'webhook-endpoint.news': 'A webhook endpoint fails',
  'sign-in.new-device': 'You signed in with a new browser',
};

export function noticesPage(ctx: PageContext<'user'>, filled: Filled): Page {
  const { user, kind } = ctx.state.viewer;
  const isPartners = kind === 'partner';
  const offered: readonly NoticeSwitch[] = noticeSwitches[isPartners ? 'user' : 'operator'];
  return page(
    {
      ...{ title: 'Notices by email', crumbs: [['Account', '/account']] },
      lead: html`Sent to ${user.email}. What comes in numbers is gathered for ten minutes.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/account/notices', submit: 'Save', filled },
      tickList({
        ...{ name: 'notices', label: 'Tell me when', filled },
        ...(isPartners && {
          hint: 'In LIVE alone. Your company’s contact is told of funds and of failing endpoints in any case.',
        }),
        choices: offered.map((value) => ({ value, text: words[value] })),
      }),
    )}</div>`,
  );
}
