import {
  digestHour,
  type NoticeRhythm,
  type NoticeSwitch,
  noticeRhythms,
  noticeSwitches,
} from '../../../domain/partners.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { form, select, tickList } from '../form.ts';
import { html } from '../html.ts';
import { type Page, page } from '../view.ts';

const words: Readonly<Record<NoticeSwitch, string>> = {
  'go_live.approved': 'Your go-live request was approved',
  'go_live.returned': 'Your go-live request needs changes',
  'funding.low': 'Funds are running low',
  'funding.recovered': 'Funding has recovered',
  'funding.topped_up': 'A top-up was credited',
  'reward.awaiting_funding': 'Rewards are waiting for funds',
  'usage.threshold': '80% or 100% of the allowance is used',
  'invoice.issued': 'An invoice was issued',
  'review.asked': 'An operator has a question about a refund',
  'review.decided': 'A review was decided',
  'credential.created': 'A LIVE key was created',
  'credential.revoked': 'A LIVE key was revoked',
  'service_account.changed': 'A LIVE service account was created, rotated or revoked',
  'webhook-endpoint.news': 'A webhook endpoint is failing',
  'review.waiting': 'A LIVE review was opened',
  'review.due': 'A LIVE review is overdue',
  'review.answered': 'A partner answered a question about a LIVE refund',
  'approval.waiting': 'A proposal needs a second operator',
  'go_live.requested': 'A partner requested go-live',
  'audit.faults': 'The audit found faults',
  'sign-in.new-device': 'You signed in with a new browser',
};

const rhythmWords = (): Record<NoticeRhythm, string> => ({
  AT_ONCE: 'As it happens',
  DAILY: `Once a day, at ${String(digestHour).padStart(2, '0')}:00 UTC`,
});

export function noticesPage(ctx: PageContext<'user'>, filled: Filled): Page {
  const { user, kind } = ctx.state.viewer;
  const isPartners = kind === 'partner';
  const offered: readonly NoticeSwitch[] = noticeSwitches[isPartners ? 'user' : 'operator'];
  return page(
    {
      title: 'Notices by email',
      crumbs: [['Account', '/account']],
      lead: `Sent to ${user.email}. When a lot happens at once, everything within ten minutes is combined into one email.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/account/notices', submit: 'Save', filled },
      tickList({
        name: 'notices',
        label: 'Notify me when',
        filled,
        ...(isPartners && {
          hint: 'LIVE only. Your company’s contact is always notified of low funding and failing endpoints.',
        }),
        choices: offered.map((value) => ({ value, text: words[value] })),
      }),
      select({
        name: 'rhythm',
        label: 'How often',
        filled,
        hint: 'A failing endpoint or a new browser is always reported as it happens.',
        choices: noticeRhythms.map((value) => ({ value, text: rhythmWords()[value] })),
      }),
    )}</div>`,
  );
}
