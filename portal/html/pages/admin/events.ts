import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { EventDetails } from '../../../../models/views/event-details.ts';
import type { Config } from '../../../../platform/config.ts';
import type { PageContext } from '../../../context.ts';
import { earnsWords } from '../../../words/rule-words.ts';
import { say } from '../../../words/say.ts';
import { badge, code, codeBlock, facts, section, wordsOf } from '../../components.ts';
import { minuteOfIso, money, time } from '../../format.ts';
import { type Html, html, type Part } from '../../html.ts';
import { shortKey } from '../../key-table.ts';
import { to, toIfOpen, workflowLink } from '../../links.ts';
import { timelineList } from '../../timeline-list.ts';
import { type Page, page } from '../../view.ts';
import { whyPoints } from '../../why-points.ts';

export function anyEventPage(
  ctx: PageContext<'operator'>,
  details: EventDetails,
  partner: PartnerDoc,
  config: Pick<Config, 'temporal'>,
): Page {
  const { event, purchase, answer, reward, next } = details;
  const { partnerId, mode } = event;
  const currency = purchase.purchase?.currency ?? partner.currency;
  return page(
    {
      title: `${wordsOf(event.type)} ${event.externalRefundId ?? event.externalOrderId}`,
      crumbs: [[say('common.requests'), '/admin/requests']],
      lead: html`${badge(mode)} ${reward ? badge(reward.status) : badge('PENDING', say('admin.events.beginning'))} ${to('PARTNER', partnerId, partner.name)}`,
      mode,
    },
    section(
      say('admin.events.section.whatHappensNext'),
      html`<p>${next.sentence(minuteOfIso)}</p>`,
    ),
    html`<div class="grid-2">${[
      section(say('admin.events.section.reported'), facts(reportedFacts(details))),
      identifiersSection(ctx, details, config),
    ]}</div>`,
    section(say('admin.events.section.timeline'), timelineList(details.timeline, currency)),
    section(say('admin.events.section.whyManyPoints'), whyPoints(details.why, currency)),
    section(
      say('admin.events.section.answeredWith', { status: answer.status }),
      codeBlock(
        JSON.stringify(JSON.parse(answer.body ?? 'null'), null, 2),
        say('admin.events.answer'),
      ),
    ),
  );
}

function reportedFacts({ event, purchase, request }: EventDetails): [string, Part][] {
  const { customer, order } = request;
  const isRefund = event.type === 'REFUND';
  return [
    [
      say('common.order'),
      isRefund ? to('EVENT', purchase._id, event.externalOrderId) : event.externalOrderId,
    ],
    ...optional(order && [say('common.amount'), money(order.subtotalCents, order.currency)]),
    ...optional(
      customer && [
        say('common.customer'),
        [customer.email, customer.phone].filter(Boolean).join(', '),
      ],
    ),
    ...optional(
      isRefund && [
        say('common.reason'),
        request.hasReason ? say('admin.events.anyEvent.text') : say('admin.events.none'),
      ],
    ),
    [
      isRefund ? say('admin.events.refundDate') : say('admin.events.orderDate'),
      time(event.occurredAt, say('admin.events.notProvided')),
    ],
    [say('common.received'), time(event.receivedAt)],
    [
      say('admin.events.metadata'),
      request.metadata === null ? say('admin.events.none') : code(JSON.stringify(request.metadata)),
    ],
  ];
}

/** A fact that may be absent, as a list to spread. */
const optional = (fact: [string, Part] | false | null | undefined): [string, Part][] =>
  fact ? [fact] : [];

function identifiersSection(
  ctx: PageContext<'operator'>,
  { event, rule, integrationName, apiKey }: EventDetails,
  config: Pick<Config, 'temporal'>,
): Html {
  return section(
    say('admin.events.section.identifiers'),
    facts([
      [say('common.reward'), to('REWARD', event.rewardId)],
      [say('common.request'), to('REQUEST', event.requestId)],
      [say('event.rule'), toIfOpen(ctx, 'RULE', rule.ruleId, earnsWords(rule))],
      [
        say('common.integration'),
        toIfOpen(ctx, 'INTEGRATION', event.integrationId, integrationName),
      ],
      [
        say('common.key'),
        toIfOpen(ctx, 'CREDENTIAL', event.credentialId, apiKey && shortKey(apiKey)),
      ],
      [say('admin.events.workflow'), workflowLink(config, event.workflowId)],
      [say('common.id'), code(event._id, { canCopy: true })],
    ]),
  );
}
