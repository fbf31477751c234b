import type { UsageOfPlan } from '../../../models/views/usage.ts';
import type { UsageFigures } from '../../../models/views/usage-figures.ts';
import type { UsageDay } from '../../../models/views/usage-series.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { badge, emptyState, linkButton, section, table } from '../components.ts';
import { dayChart } from '../day-chart.ts';
import { day, money, moneyText, number, numberText, pointsWords } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { type Metric, metrics } from '../metrics.ts';
import { type Page, page } from '../view.ts';

export function usagePage({ figures, days }: UsageOfPlan, currency: string): Page {
  const { period } = figures.billingStatus;
  return page(
    {
      title: say('usage.title'),
      lead: say('usage.lead', {
        start: day(new Date(period.start)),
        end: day(new Date(period.end)),
      }),
      isLiveOnly: true,
    },
    metrics(figuresOf(figures, currency)),
    allowance(figures),
    section(say('usage.section.lastThirtyDays'), daysPart(days, currency)),
    figures.billingStatus.subscription === null
      ? nothing
      : section(say('usage.section.whichPlanFits'), recommended(figures, currency)),
  );
}

function figuresOf(
  { billingStatus, points, terms, counted, projection, rewardLiabilityCents }: UsageFigures,
  currency: string,
): Metric[] {
  const { lowPoints, highPoints, basisDays } = projection;
  return [
    {
      name: say('usage.pointsSoFar'),
      value: numberText(points),
      note:
        billingStatus.subscription === null
          ? say('usage.figures.note.planPoints')
          : say('usage.figures.note.ofIncluded', {
              includedPointsConsumed: numberText(counted.includedPointsConsumed),
              includedPoints: numberText(terms.includedPoints),
            }),
    },
    {
      name: say('usage.figures.text'),
      value: numberText(projection.points),
      note:
        basisDays === 0
          ? say('usage.figures.note.nothingProject')
          : say('usage.figures.note.likely80', {
              lowPoints: numberText(lowPoints),
              highPoints: numberText(highPoints),
              basisDays,
            }),
    },
    {
      name: say('usage.overageSoFar'),
      value: moneyText(counted.overageCents, currency),
      note:
        billingStatus.subscription === null
          ? say('usage.overage.noPlan')
          : projection.overagePoints === 0
            ? say('usage.overage.none')
            : say('usage.overage', {
                overagePoints: numberText(counted.overagePoints),
                overage: moneyText(projection.overageCents, currency),
                projectedPoints: numberText(projection.overagePoints),
              }),
    },
    {
      name: say('usage.behindRewards'),
      value: moneyText(rewardLiabilityCents, currency),
      note: say('usage.figures.note.reservedOwed'),
      href: '/funding',
    },
  ];
}

function allowance({ billingStatus, terms, counted }: UsageFigures): Html {
  if (billingStatus.subscription === null) {
    return section(
      say('usage.section.allowance'),
      emptyState(
        say('usage.allowance.empty.title'),
        say('usage.allowance.empty.text'),
        linkButton('/billing', say('usage.viewBilling'), 'secondary'),
      ),
    );
  }
  const { includedPoints } = terms;
  const share =
    includedPoints === 0 ? 100 : (100 * counted.includedPointsConsumed) / includedPoints;
  return section(
    say('usage.section.allowance'),
    html`<div class="allowance"><progress value="${counted.includedPointsConsumed}" max="${Math.max(1, includedPoints)}" aria-label="${say('usage.allowanceConsumed')}"></progress>
<p>${say('usage.ofPoints', { includedPointsConsumed: number(counted.includedPointsConsumed), includedPoints: number(includedPoints), percent: Math.floor(share) })}${counted.overagePoints > 0 ? say('usage.andOverIt', { strong: tags.strong, overagePoints: number(counted.overagePoints) }) : nothing}</p></div>`,
  );
}

function daysPart(days: readonly UsageDay[], currency: string): Html {
  const total = days.reduce((sum, { points }) => sum + points, 0);
  if (days.every(({ points, cents }) => points === 0 && cents === 0)) {
    return emptyState(
      say('usage.days.empty.title'),
      say('usage.days.empty.text'),
      linkButton('/home', say('usage.goLiveChecklist'), 'secondary'),
    );
  }
  return html`${dayChart(
    days.map(({ day, points }) => ({ day, value: points })),
    say('usage.days.pointsEach', { total: pointsWords(total) }),
    pointsWords,
  )}
<details class="chart-table"><summary>${say('usage.days.sameTable')}</summary>${table({
    caption: say('usage.days.caption'),
    columns: [
      { heading: say('usage.day'), cell: (one) => day(new Date(one.day)) },
      { heading: say('common.points'), cell: ({ points }) => number(points), isNumber: true },
      {
        heading: say('usage.rewardsCost'),
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
    STAY: say('usage.recommended.stay'),
    UPGRADE: say('usage.recommended.upgrade'),
    DOWNGRADE: say('usage.recommended.downgrade'),
  }[action];
  return html`<p>${badge(action === 'STAY' ? 'OK' : 'OPEN', words)} ${reason}</p>
${estimatedSavingsCents > 0 ? html`<p class="muted">${say('usage.recommended.text', { estimatedSavings: money(estimatedSavingsCents, currency) })}</p>` : nothing}`;
}
