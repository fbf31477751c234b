import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { EventStory } from '../../../../models/views/event-story.ts';
import type { Config } from '../../../../platform/config.ts';
import { badge, code, codeBlock, facts, section, wordsOf } from '../../components.ts';
import { minuteOfIso, money, time } from '../../format.ts';
import { html } from '../../html.ts';
import { to, workflowLink } from '../../links.ts';
import { lifeOf } from '../../story.ts';
import { type Page, page } from '../../view.ts';
import { whyPoints } from '../../why-points.ts';

export function anyEventPage(
  story: EventStory,
  partner: PartnerDoc,
  config: Pick<Config, 'temporal'>,
): Page {
  const { event, purchase, request, answer, reward, next } = story;
  const { partnerId, mode } = event;
  const currency = purchase.purchase?.currency ?? partner.currency;
  const { customer, order } = request;
  const isRefund = event.type === 'REFUND';
  return page(
    {
      title: `${wordsOf(event.type)} ${event.externalRefundId ?? event.externalOrderId}`,
      crumbs: [['Requests', '/admin/requests']],
      lead: html`${badge(mode)} ${reward ? badge(reward.status) : badge('PENDING', 'Beginning')} ${to('PARTNER', partnerId, partner.name)}`,
      mode,
    },
    section('What happens next', html`<p>${next.sentence(minuteOfIso)}</p>`),
    html`<div class="grid-2">${[
      section(
        'Reported',
        facts([
          [
            'Order',
            isRefund ? to('EVENT', purchase._id, event.externalOrderId) : event.externalOrderId,
          ],
          ...(order ? [['Amount', money(order.subtotalCents, order.currency)] as const] : []),
          ...(customer
            ? [['Customer', [customer.email, customer.phone].filter(Boolean).join(', ')] as const]
            : []),
          ...(isRefund
            ? [['Reason', request.hasReason ? 'given; a review shows it' : 'none'] as const]
            : []),
          [isRefund ? 'Refund date' : 'Order date', time(event.occurredAt, 'not provided')],
          ['Received', time(event.receivedAt)],
          ['Metadata', request.metadata === null ? 'none' : code(JSON.stringify(request.metadata))],
        ]),
      ),
      section(
        'Identifiers',
        facts([
          ['Reward', to('REWARD', event.rewardId)],
          ['Request', to('REQUEST', event.requestId)],
          ['Integration', to('INTEGRATION', event.integrationId)],
          ['Key', to('CREDENTIAL', event.credentialId)],
          ['Workflow', workflowLink(config, event.workflowId)],
          ['Id', code(event._id, { canCopy: true })],
        ]),
      ),
    ]}</div>`,
    section('Timeline', lifeOf(story.timeline, currency)),
    section('Why it has that many points', whyPoints(story.why, currency)),
    section(
      `Answered with ${answer.status}`,
      codeBlock(JSON.stringify(JSON.parse(answer.body ?? 'null'), null, 2), 'Answer'),
    ),
  );
}
