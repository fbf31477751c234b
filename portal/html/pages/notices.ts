import { type NoticeType, noticeTypes } from '../../../domain/notices.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { form, tickList } from '../form.ts';
import { html } from '../html.ts';
import { type Page, page } from '../view.ts';

const words: Record<NoticeType, string> = {
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
};

export function noticesPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    {
      ...{ title: 'Notices by email', crumbs: [['Account', '/account']] },
      lead: html`Sent to ${ctx.state.viewer.user.email}. What comes in numbers is gathered for ten minutes.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/account/notices', submit: 'Save', filled },
      tickList({
        ...{ name: 'notices', label: 'Tell me of LIVE', filled },
        hint: 'Your company’s contact is told of funds and of failing endpoints in any case.',
        choices: noticeTypes.map((value) => ({ value, text: words[value] })),
      }),
    )}</div>`,
  );
}
