import type { BackTest, Earnings, EarningsTotal } from '../../domain/back-test.ts';
import type { BackTestJob } from '../../models/schemas/job.ts';
import type { PageContext } from '../context.ts';
import { say } from '../words/say.ts';
import { emptyState, notice, section, table } from './components.ts';
import { day, moneyText, numberText, pointsWords, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { metrics } from './metrics.ts';
import { linkIfOpen } from './onward-links.ts';

/** The results of a back-test: totals side by side, and the orders with the largest differences. */
export function backTestResults(
  ctx: PageContext,
  { mode, input, expiresAt }: BackTestJob,
  found: BackTest,
): Html {
  const { rule, from, to } = input;
  const { currency } = rule;
  if (found.purchases === 0) {
    return html`<section class="card">${emptyState(
      say('backTest.found.empty.title'),
      say('backTest.found.empty.text', { mode, currency }),
      mode === 'TEST' ? linkIfOpen(ctx, '/console', say('backTest.found.sendTest')) : nothing,
    )}</section>`;
  }
  return html`${metrics([
    figure(say('backTest.theActiveRule'), found.active, currency),
    figure(say('backTest.thisDraft'), found.draft, currency),
    difference(found, currency),
  ])}
${section(
  say('backTest.section.ordersDifferMost'),
  found.differing === 0
    ? notice('info', say('backTest.found.notice'))
    : mostDiffering(found, currency),
)}
<p class="muted">${say('backTest.found.purchasesReceived', { from: day(from), to: time(to), expiresAt: time(expiresAt) })}</p>`;
}

const figure = (name: string, { cents, points }: EarningsTotal, currency: string) => ({
  name,
  value: moneyText(cents, currency),
  note: pointsWords(points),
});

function difference({ active, draft, differing, purchases }: BackTest, currency: string) {
  return {
    name: say('backTest.difference.text'),
    value: more(draft.cents - active.cents, (cents) => moneyText(cents, currency)),
    note: say('backTest.difference.note', {
      more: more(draft.points - active.points, pointsWords),
      differing: numberText(differing),
      purchases,
    }),
  };
}

/** A difference with its sign. */
function more(value: number, words: (amount: number) => string): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '±';
  return `${sign}${words(Math.abs(value))}`;
}

function mostDiffering({ mostDiffering: orders }: BackTest, currency: string): Html {
  return table({
    caption: say('backTest.mostDiffering.caption'),
    columns: [
      {
        heading: say('common.order'),
        cell: ({ eventId, externalOrderId }) =>
          html`<a href="/events/${eventId}"><span class="clip" title="${externalOrderId}">${externalOrderId}</span></a>`,
      },
      { heading: say('common.received'), cell: ({ receivedAt }) => day(new Date(receivedAt)) },
      {
        heading: say('backTest.subtotal'),
        cell: ({ subtotalCents }) => moneyText(subtotalCents, currency),
        isNumber: true,
      },
      {
        heading: say('backTest.activeRule'),
        cell: ({ active }) => earned(active, currency),
        isNumber: true,
      },
      {
        heading: say('backTest.thisDraft'),
        cell: ({ draft }) => earned(draft, currency),
        isNumber: true,
      },
      {
        heading: say('backTest.difference'),
        cell: ({ active, draft }) =>
          html`${more(draft.cents - active.cents, (cents) => moneyText(cents, currency))}<br><span class="muted">${more(draft.points - active.points, pointsWords)}</span>`,
        isNumber: true,
      },
    ],
    rows: orders,
    empty: nothing,
  });
}

function earned({ points, cents, explanation }: Earnings, currency: string): Html {
  return html`<span title="${explanation}">${moneyText(cents, currency)}<br><span class="muted">${pointsWords(points)}</span></span>`;
}
