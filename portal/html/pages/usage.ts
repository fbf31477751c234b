import type { UsageDay, UsageFigures, UsageOfPlan } from '../../../models/views/usage.ts';
import { badge, emptyState, linkButton, section, table } from '../components.ts';
import { dayChart } from '../day-chart.ts';
import { day, money, moneyText, number, numberText, plural, pointsWords } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { type Metric, metrics } from '../metrics.ts';
import { type Page, page } from '../view.ts';

export function usagePage({ figures, days }: UsageOfPlan, currency: string): Page {
  const { period } = figures.billingStatus;
  return page(
    {
      title: 'Usage',
      lead: html`LIVE points in the billing period from ${day(new Date(period.start))} to ${day(new Date(period.end))}. TEST is not counted.`,
      isLiveOnly: true,
    },
    metrics(figuresOf(figures, currency)),
    allowance(figures),
    section('Last 30 days', daysPart(days, currency)),
    figures.billingStatus.subscription === null
      ? nothing
      : section('Which plan fits', recommended(figures, currency)),
  );
}

function figuresOf(
  { billingStatus, points, terms, counted, projection, rewardLiabilityCents }: UsageFigures,
  currency: string,
): Metric[] {
  const { lowPoints, highPoints, basisDays } = projection;
  return [
    {
      name: 'Points so far',
      value: numberText(points),
      note:
        billingStatus.subscription === null
          ? 'No plan: points are free'
          : `${numberText(counted.includedPointsConsumed)} of ${numberText(terms.includedPoints)} included`,
    },
    {
      name: 'Projected by the end of the period',
      value: numberText(projection.points),
      note:
        basisDays === 0
          ? 'Not enough data for a projection yet'
          : `Likely ${numberText(lowPoints)}–${numberText(highPoints)} (80%), based on ${plural(basisDays, 'day', 'days')}`,
    },
    {
      name: 'Overage so far',
      value: moneyText(counted.overageCents, currency),
      note:
        billingStatus.subscription === null
          ? 'No plan: nothing is charged'
          : projection.overagePoints === 0
            ? 'None projected'
            : `${numberText(counted.overagePoints)} points over the allowance; projected: ${numberText(projection.overagePoints)} points, ${moneyText(projection.overageCents, currency)}`,
    },
    {
      name: 'Committed to rewards',
      value: moneyText(rewardLiabilityCents, currency),
      note: 'Reserved or owed to customers',
      href: '/funding',
    },
  ];
}

function allowance({ billingStatus, terms, counted }: UsageFigures): Html {
  if (billingStatus.subscription === null) {
    return section(
      'Allowance',
      emptyState(
        'No subscription',
        'Points are counted by calendar month and are free of charge.',
        linkButton('/billing', 'View billing', 'secondary'),
      ),
    );
  }
  const { includedPoints } = terms;
  const share =
    includedPoints === 0 ? 100 : (100 * counted.includedPointsConsumed) / includedPoints;
  return section(
    'Allowance',
    html`<div class="allowance"><progress value="${counted.includedPointsConsumed}" max="${Math.max(1, includedPoints)}" aria-label="Allowance consumed"></progress>
<p>${number(counted.includedPointsConsumed)} of ${number(includedPoints)} points, ${Math.floor(share)}%${counted.overagePoints > 0 ? html`, and <strong>${number(counted.overagePoints)} over it</strong>` : nothing}</p></div>`,
  );
}

function daysPart(days: readonly UsageDay[], currency: string): Html {
  const total = days.reduce((sum, { points }) => sum + points, 0);
  if (days.every(({ points, cents }) => points === 0 && cents === 0)) {
    return emptyState(
      'No LIVE points on these days',
      'Each funded LIVE reward counts on its day. TEST rewards do not count.',
      linkButton('/home', 'Go-live checklist', 'secondary'),
    );
  }
  return html`${dayChart(
    days.map(({ day, points }) => ({ day, value: points })),
    `Points on each of the last 30 days, ${pointsWords(total)} in total`,
    pointsWords,
  )}
<details class="chart-table"><summary>View as a table</summary>${table({
    caption: 'Points per day',
    columns: [
      { heading: 'Day', cell: (one) => day(new Date(one.day)) },
      { heading: 'Points', cell: ({ points }) => number(points), isNumber: true },
      {
        heading: 'Rewards cost',
        cell: ({ cents }) => money(cents, currency),
        isNumber: true,
      },
    ],
    rows: days.toReversed(),
    empty: nothing,
  })}</details>`;
}

function recommended({ recommendation }: UsageFigures, currency: string): Html {
  const { action, reason, estimatedSavingsCents } = recommendation;
  const words = {
    STAY: 'Stay',
    UPGRADE: 'Upgrade',
    DOWNGRADE: 'Downgrade',
  }[action];
  return html`<p>${badge(action === 'STAY' ? 'OK' : 'OPEN', words)} ${reason}</p>
${estimatedSavingsCents > 0 ? html`<p class="muted">It would save about ${money(estimatedSavingsCents, currency)} per period. An operator can change the plan for you.</p>` : nothing}`;
}
