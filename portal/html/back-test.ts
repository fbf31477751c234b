import type { BackTest, Earnings, EarningsTotal } from '../../domain/back-test.ts';
import type { BackTestJob } from '../../models/schemas/jobs.ts';
import type { PageContext } from '../context.ts';
import { emptyState, notice, section, table } from './components.ts';
import { day, moneyText, numberText, plural, pointsWords, time } from './format.ts';
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
      'No purchases to replay yet',
      `In the last 90 days, there was no ${mode} purchase in ${currency} that this draft applies to. Nothing is wrong with it: come back once there are some.`,
      mode === 'TEST' ? linkIfOpen(ctx, '/console', 'Send a TEST purchase') : nothing,
    )}</section>`;
  }
  return html`${metrics([
    figure('The active rule', found.active, currency),
    figure('This draft', found.draft, currency),
    difference(found, currency),
  ])}
${section(
  'Orders with the largest differences',
  found.differing === 0
    ? notice('info', 'Every order would have earned and cost the same under both rules.')
    : mostDiffering(found, currency),
)}
<p class="muted">Purchases received from ${day(from)} to ${time(to)}, as if every point were claimed: refunds and expiries are left out. Kept until ${time(expiresAt)}.</p>`;
}

const figure = (name: string, { cents, points }: EarningsTotal, currency: string) => ({
  name,
  value: moneyText(cents, currency),
  note: pointsWords(points),
});

function difference({ active, draft, differing, purchases }: BackTest, currency: string) {
  return {
    name: 'Difference in cost',
    value: more(draft.cents - active.cents, (cents) => moneyText(cents, currency)),
    note: `${more(draft.points - active.points, pointsWords)}; different for ${numberText(differing)} of ${plural(purchases, 'order', 'orders')}`,
  };
}

/** A difference with its sign. */
function more(value: number, words: (amount: number) => string): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '±';
  return `${sign}${words(Math.abs(value))}`;
}

function mostDiffering({ mostDiffering: orders }: BackTest, currency: string): Html {
  return table({
    caption: 'Orders with the largest differences',
    columns: [
      {
        heading: 'Order',
        cell: ({ eventId, externalOrderId }) =>
          html`<a href="/events/${eventId}"><span class="clip" title="${externalOrderId}">${externalOrderId}</span></a>`,
      },
      { heading: 'Received', cell: ({ receivedAt }) => day(new Date(receivedAt)) },
      {
        heading: 'Subtotal',
        cell: ({ subtotalCents }) => moneyText(subtotalCents, currency),
        isNumber: true,
      },
      {
        heading: 'Active rule',
        cell: ({ active }) => earned(active, currency),
        isNumber: true,
      },
      {
        heading: 'This draft',
        cell: ({ draft }) => earned(draft, currency),
        isNumber: true,
      },
      {
        heading: 'Difference',
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
