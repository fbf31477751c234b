import {
  digestHour,
  type NoticeRhythm,
  type NoticeSwitch,
  noticeRhythms,
  noticeSwitches,
} from '../../../domain/notices.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { form, select, tickList } from '../form.ts';
import { html } from '../html.ts';
import { type Page, page } from '../view.ts';

const words = (): Record<NoticeSwitch, string> => ({
  'go_live.approved': say('notices.of.goLiveApproved'),
  'go_live.returned': say('notices.of.goLiveReturned'),
  'funding.low': say('notices.of.fundingLow'),
  'funding.recovered': say('notices.of.fundingRecovered'),
  'funding.topped_up': say('notices.of.fundingToppedUp'),
  'reward.awaiting_funding': say('notices.of.rewardAwaitingFunding'),
  'usage.threshold': say('notices.of.usageThreshold'),
  'invoice.issued': say('notices.of.invoiceIssued'),
  'review.asked': say('notices.of.reviewAsked'),
  'review.decided': say('notices.of.reviewDecided'),
  'credential.created': say('notices.of.credentialCreated'),
  'credential.revoked': say('notices.of.credentialRevoked'),
  'service_account.changed': say('notices.of.serviceAccountChanged'),
  'webhook-endpoint.news': say('notices.of.webhookEndpointNews'),
  'review.waiting': say('notices.of.reviewWaiting'),
  'review.due': say('notices.of.reviewDue'),
  'review.answered': say('notices.of.reviewAnswered'),
  'approval.waiting': say('notices.of.approvalWaiting'),
  'go_live.requested': say('notices.of.goLiveRequested'),
  'audit.faults': say('notices.of.auditFaults'),
  'sign-in.new-device': say('notices.of.signInNewDevice'),
});

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
      ...{ title: say('notices.title'), crumbs: [[say('common.account'), '/account']] },
      lead: say('notices.lead', { email: user.email }),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/account/notices', submit: say('common.button.save'), filled },
      tickList({
        ...{ name: 'notices', label: say('notices.notices'), filled },
        ...(isPartners && {
          hint: say('notices.hint'),
        }),
        choices: offered.map((value) => ({ value, text: words()[value] })),
      }),
      select({
        ...{ name: 'rhythm', label: say('notices.rhythm'), filled },
        hint: say('notices.rhythm.hint'),
        choices: noticeRhythms.map((value) => ({ value, text: rhythmWords()[value] })),
      }),
    )}</div>`,
  );
}
