import Joi from 'joi';
import {
  digestHour,
  type NoticeRhythm,
  type NoticeSwitch,
  newDevice,
  noticeRhythms,
  noticeSwitches,
} from '../../domain/partners.ts';
import { chooseNotices } from '../../operations/account.ts';
import { readNotices } from '../../views/account.ts';
import { form, select, tickList } from '../components/form.ts';
import { html } from '../components/format.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Filled } from '../forms/submit.ts';
import type { RoutesOf } from '../routing/route-table.ts';

const noticesSchema = Joi.object<{ notices: NoticeSwitch[]; rhythm: NoticeRhythm }>({
  notices: Joi.array()
    .items(Joi.string().valid(...noticeSwitches.user, ...noticeSwitches.operator))
    .single()
    .default([])
    .messages({ 'any.only': 'Choose from the notices below.' }),
  rhythm: Joi.string()
    .valid(...noticeRhythms)
    .default('AT_ONCE'),
});

/** The viewer's email notices. */
export function noticePages(routes: RoutesOf<'user'>): void {
  routes.operation('/account/notices', chooseNotices, {
    page: showNotices,
    form: noticesSchema,
    to: '/account/notices',
    said: 'Saved.',
  });
}

async function showNotices(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  filled?: Filled,
): Promise<void> {
  const { _id, notifiesOfNewDevices } = ctx.state.viewer.user;
  const { notices, rhythm } = await readNotices(deps, _id);
  const chosen = notifiesOfNewDevices === false ? notices : [...notices, newDevice];
  const values = { notices: chosen, rhythm };
  render(ctx, noticesPage(ctx, filled ?? { values, errors: {} }));
}

const words: Readonly<Record<NoticeSwitch, string>> = {
  'go_live.approved': 'Your go-live request was approved',
  'go_live.returned': 'Your go-live request needs changes',
  'funding.low': 'Funds are running low',
  'funding.recovered': 'Funding has recovered',
  'funding.topped_up': 'A top-up was credited',
  'funding.withdrawn': 'Funding was paid back to you',
  'funding.corrected': 'A top-up was corrected',
  'reward.awaiting_funding': 'Rewards are waiting for funds',
  'usage.threshold': '80% or 100% of the allowance is used',
  'budget.threshold': '80% or 100% of the budget of a rule is used',
  'invoice.issued': 'An invoice was issued',
  'invoice.payment_recorded': 'A payment of an invoice was recorded',
  'invoice.payment_reversed': 'A payment of an invoice was reversed',
  'invoice.overdue': 'An invoice is overdue',
  'invoice.voided': 'An invoice was voided',
  'review.asked': 'An operator has a question about a refund',
  'review.decided': 'A review was decided',
  'credential.created': 'A LIVE key was created',
  'credential.revoked': 'A LIVE key was revoked',
  'credential.expiring': 'A secret of a LIVE key is about to expire',
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

function noticesPage(ctx: PageContext<'user'>, filled: Filled): Page {
  const { user, kind } = ctx.state.viewer;
  const isPartners = kind === 'partner';
  const offered: readonly NoticeSwitch[] = noticeSwitches[isPartners ? 'user' : 'operator'];
  return page(
    {
      title: 'Notices by email',
      // Partners’ users have a tab for it.
      ...(!isPartners && { crumbs: [['Account', '/account']] as const }),
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
