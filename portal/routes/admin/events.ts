import { findPartner } from '../../../models/commands/find.ts';
import { readEventStory } from '../../../models/views/event-story.ts';
import { param } from '../../context.ts';
import { noteRead } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { badge, code, codeBlock, facts, section, wordsOf } from '../../html/components.ts';
import { money, time } from '../../html/format.ts';
import { html } from '../../html/html.ts';
import { to, workflowLink } from '../../html/links.ts';
import { lifeOf } from '../../html/story.ts';
import { view } from '../../html/view.ts';
import { whyPoints } from '../../html/why-points.ts';
import { nothingHere } from '../../middleware/well-formed.ts';
import type { Routes } from '../../route-table.ts';

/** One accepted purchase or refund: what was reported, what was answered, and what became of it. */
export function adminEventPages(routes: Routes, deps: PortalDeps): void {
  const { models, config } = deps;

  routes.page(
    {
      path: '/admin/events/:eventId',
      params: { eventId: 'event' },
      audience: 'operator',
      permission: 'read',
    },
    async (ctx) => {
      const story = await readEventStory(deps, null, param(ctx, 'eventId'));
      if (story === null) throw nothingHere();
      const { event, purchase, request, answer, reward, next } = story;
      const { _id: targetId, partnerId, mode } = event;
      await noteRead(deps, ctx, { action: 'event.read', partnerId, targetId });
      const partner = await findPartner(models, partnerId);
      const currency = purchase.purchase?.currency ?? partner.currency;
      const { customer, order } = request;
      const isRefund = event.type === 'REFUND';
      view(
        ctx,
        {
          title: `${wordsOf(event.type)} ${event.externalRefundId ?? event.externalOrderId}`,
          crumbs: [['Requests', '/admin/requests']],
          lead: html`${badge(mode)} ${reward ? badge(reward.status) : badge('PENDING', 'Beginning')} ${to('PARTNER', partnerId, partner.name)}`,
          mode,
        },
        section('What happens next', html`<p>${next.sentence}</p>`),
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
                ? [
                    [
                      'Customer',
                      [customer.email, customer.phone].filter(Boolean).join(', '),
                    ] as const,
                  ]
                : []),
              ...(isRefund
                ? [['Reason', request.hasReason ? 'given; a review shows it' : 'none'] as const]
                : []),
              ['Happened', time(event.occurredAt, 'not said')],
              ['Received', time(event.receivedAt)],
              [
                'Metadata',
                request.metadata === null ? 'none' : code(JSON.stringify(request.metadata)),
              ],
            ]),
          ),
          section(
            'Known by',
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
        section('The reward’s life', lifeOf(story.timeline, currency)),
        section('Why it has that many points', whyPoints(story.why, currency)),
        section(
          `Answered with ${answer.status}`,
          codeBlock(JSON.stringify(JSON.parse(answer.body), null, 2), 'Answer'),
        ),
      );
    },
  );
}
