import {
  digestHour,
  type NoticeRhythm,
  type NoticeSwitch,
  noticeRhythms,
  noticeSwitches,
} from '../../../domain/notices.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { type PlainKey, say } from '../../words/say.ts';
import { form, select, tickList } from '../form.ts';
import { html } from '../html.ts';
import { type Page, page } from '../view.ts';

const words: Readonly<Record<NoticeSwitch, PlainKey>> = {
  'go_live.approved': 'notices.of.goLiveApproved',
  'go_live.returned': 'notices.of.goLiveReturned',
  'funding.low': 'notices.of.fundingLow',
  'funding.recovered': 'notices.of.fundingRecovered',
  'funding.topped_up': 'notices.of.fundingToppedUp',
  'reward.awaiting_funding': 'notices.of.rewardAwaitingFunding',
  'usage.threshold': 'notices.of.usageThreshold',
  'invoice.issued': 'notices.of.invoiceIssued',
  'review.asked': 'notices.of.reviewAsked',
  'review.decided': 'notices.of.reviewDecided',
  'credential.created': 'notices.of.credentialCreated',
  'credential.revoked': 'notices.of.credentialRevoked',
  'service_account.changed': 'notices.of.serviceAccountChanged',
  'webhook-endpoint.news': 'notices.of.webhookEndpointNews',
  'review.waiting': 'notices.of.reviewWaiting',
  'review.due': 'notices.of.reviewDue',
  'review.answered': 'notices.of.reviewAnswered',
  'approval.waiting': 'notices.of.approvalWaiting',
  'go_live.requested': 'notices.of.goLiveRequested',
  'audit.faults': 'notices.of.auditFaults',
  'sign-in.new-device': 'notices.of.signInNewDevice',
};

const rhythmWords = (): Record<NoticeRhythm, string> => ({
  AT_ONCE: say('notices.rhythm.atOnce'),
  DAILY: say('notices.rhythm.daily', { hour: String(digestHour).padStart(2, '0') }),
});

export function noticesPage(ctx: PageContext<'user'>, filled: Filled): Page {
  const { user, kind } = ctx.state.viewer;
  const isPartners = kind === 'partner';
  const offered: readonly NoticeSwitch[] = noticeSwitches[isPartners ? 'user' : 'operator'];
  return page(
    {
      title: say('notices.title'),
      crumbs: [[say('common.account'), '/account']],
      lead: say('notices.lead', { email: user.email }),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/account/notices', submit: say('common.button.save'), filled },
      tickList({
        name: 'notices',
        label: say('notices.notices'),
        filled,
        ...(isPartners && {
          hint: say('notices.hint'),
        }),
        choices: offered.map((value) => ({ value, text: say(words[value]) })),
      }),
      select({
        name: 'rhythm',
        label: say('notices.rhythm'),
        filled,
        hint: say('notices.rhythm.hint'),
        choices: noticeRhythms.map((value) => ({ value, text: rhythmWords()[value] })),
      }),
    )}</div>`,
  );
}
