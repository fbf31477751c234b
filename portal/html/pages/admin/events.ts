import type { PartnerDoc } from '../../../../models/schemas/partners.ts';
import type { EventDetails } from '../../../../models/views/event.ts';
import type { Config } from '../../../../platform/config.ts';
import type { PageContext } from '../../../context.ts';
import { earnsWords } from '../../../words/rule-words.ts';
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
      crumbs: [['Requests', '/admin/requests']],
      lead: html`${badge(mode)} ${reward ? badge(reward.status) : badge('PENDING', 'Start')} ${to('PARTNER', partnerId, partner.name)}`,
      mode,
    },
    section('What happens next', html`<p>${next.sentence(minuteOfIso)}</p>`),
    html`<div class="grid-2">${[
      section('Reported', facts(reportedFacts(details))),
      identifiersSection(ctx, details, config),
    ]}</div>`,
    section('Timeline', timelineList(details.timeline, currency)),
    section('How the points were calculated', whyPoints(details.why, currency)),
    section(
      `Response ${answer.status}`,
      codeBlock(JSON.stringify(JSON.parse(answer.body ?? 'null'), null, 2), 'Response'),
    ),
  );
}

function reportedFacts({ event, purchase, request }: EventDetails): [string, Part][] {
  const { customer, order } = request;
  const isRefund = event.type === 'REFUND';
  return [
    ['Order', isRefund ? to('EVENT', purchase._id, event.externalOrderId) : event.externalOrderId],
    ...optional(order && ['Amount', money(order.subtotalCents, order.currency)]),
    ...optional(
      customer && ['Customer', [customer.email, customer.phone].filter(Boolean).join(', ')],
    ),
    ...optional(isRefund && ['Reason', request.hasReason ? 'provided; shown in a review' : 'none']),
    [isRefund ? 'Refund date' : 'Order date', time(event.occurredAt, 'not provided')],
    ['Received', time(event.receivedAt)],
    ['Metadata', request.metadata === null ? 'none' : code(JSON.stringify(request.metadata))],
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
    'Identifiers',
    facts([
      ['Reward', to('REWARD', event.rewardId)],
      ['Request', to('REQUEST', event.requestId)],
      ['Rule', toIfOpen(ctx, 'RULE', rule.ruleId, earnsWords(rule))],
      ['Integration', toIfOpen(ctx, 'INTEGRATION', event.integrationId, integrationName)],
      ['Key', toIfOpen(ctx, 'CREDENTIAL', event.credentialId, apiKey && shortKey(apiKey))],
      ['Workflow', workflowLink(config, event.workflowId)],
      ['ID', code(event._id, { canCopy: true })],
    ]),
  );
}
