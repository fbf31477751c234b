import type { Mode } from '../../../domain/mode.ts';
import type { SetUpState } from '../../../domain/set-up.ts';
import type { OrderEventDoc } from '../../../models/schemas/order-event.ts';
import type { LiveHome } from '../../../models/views/dashboard.ts';
import type { readMonths } from '../../../models/views/month.ts';
import type { SetUpOfPartner } from '../../../models/views/set-up.ts';
import type { PageContext, PartnerViewer } from '../../context.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { say } from '../../words/say.ts';
import { wordsOfStep } from '../../words/set-up-words.ts';
import { tags } from '../../words/tags.ts';
import { badge, emptyState, linkButton, notice, section, table } from '../components.ts';
import { evidenceLink } from '../evidence.ts';
import { day, moneyText, number, numberText, time } from '../format.ts';
import { fundingMetric } from '../funding-metric.ts';
import { type Html, html, nothing } from '../html.ts';
import { idLink } from '../id-link.ts';
import { type Metric, metrics } from '../metrics.ts';
import { monthPart } from '../month.ts';
import { doneWords, nextStepOf } from '../next-step.ts';
import { type StepState, stepList } from '../step-list.ts';
import { type Page, page } from '../view.ts';

export function setUpPage(viewer: PartnerViewer, found: SetUpOfPartner, questions: number): Page {
  const list = steps(viewer, found);
  return page(
    {
      title: say('home.setUp.title', { name: viewer.partner.name }),
      lead: say('home.setUp.lead'),
    },
    suspended(viewer),
    factorDue(viewer),
    questionsNotice(viewer, questions),
    nextCard(viewer, found),
    html`<section class="card"><div class="card-head"><h2>${say('home.goLiveChecklist')}</h2>${progress(found)}</div>${list}</section>`,
  );
}

/** The next step. */
function nextCard(viewer: PartnerViewer, found: SetUpOfPartner): Html {
  const next = nextStepOf(viewer.partner, found);
  if (next === null) {
    const isWaiting = found.setUp.items.some(({ state }) => state === 'WAITING');
    return isWaiting
      ? html`<section class="card next"><p class="next-label">${say('home.inReview')}</p><h2>${say('home.nextCard.heading')}</h2><p>${say('home.nextCard.dontNeed')}</p>${linkButton('/go-live', say('home.seeTheRequest'), 'secondary')}</section>`
      : nothing;
  }
  return html`<section class="card next"><p class="next-label">${say('home.next')}</p>
<h2>${next.title}</h2>
<p>${next.text}</p>
${next.missing === nothing ? nothing : html`<p>${say('home.stillMissing')}</p>${next.missing}`}
${hasPermission(viewer, next.permission) ? linkButton(next.path, next.button) : html`<p class="muted">${say('home.nextCard.roleCant', { link: tags.link('/team') })}</p>`}
</section>`;
}

function progress(found: SetUpOfPartner): Html {
  const { done, needed, words } = doneWords(found);
  return html`<p class="progress-words"><progress value="${done}" max="${needed}" aria-label="${say('home.stepsDone')}"></progress> ${words}</p>`;
}

const shownState = (state: SetUpState, isNext: boolean): StepState => (isNext ? 'NEXT' : state);

function steps(
  viewer: PartnerViewer,
  { setUp: { items, next }, facts, evidence: names }: SetUpOfPartner,
): Html {
  return stepList(
    items.map(({ step, state, evidence }) => {
      const { title, text, path, button, permission } = wordsOfStep(step);
      const canDo = ['TO_DO', 'OPTIONAL'].includes(state) && hasPermission(viewer, permission);
      const shown = evidence.map((id) =>
        id.startsWith('opr_') ? approval(viewer) : evidenceLink(id, names, viewer.partner.currency),
      );
      return {
        title,
        text: state === 'DONE' ? nothing : text,
        state: shownState(state, step === next?.step),
        evidence:
          step === 'VERIFY' && state === 'DONE' && facts.testReward
            ? [...shown, badge(facts.testReward.status)]
            : shown,
        action: canDo && step !== next?.step ? html`<a href="${path}">${button}</a>` : nothing,
      };
    }),
  );
}

/** Operators are not identified to partners. */
const approval = ({ partner }: PartnerViewer): Html =>
  html`<a href="/go-live">${say('home.approvedOn', { decidedAt: time(partner.goLive.decidedAt) })}</a>`;

export interface LiveNow {
  today: LiveHome;
  months: Awaited<ReturnType<typeof readMonths>>;
}

export function dashboardPage(
  ctx: PageContext<'partner'>,
  { today, months }: LiveNow,
  found: SetUpOfPartner,
  questions: number,
): Page {
  const { viewer } = ctx.state;
  const list = steps(viewer, found);
  const { name, currency, lowBalanceThresholdCents } = viewer.partner;
  const { funding, refusals, events } = today;
  return page(
    {
      title: name,
      lead: say('home.dashboard.lead', {
        start: day(new Date(today.period.start)),
        end: day(new Date(today.period.end)),
      }),
    },
    suspended(viewer),
    factorDue(viewer),
    questionsNotice(viewer, questions),
    nextCard(viewer, found),
    funding.awaitingRewards > 0
      ? notice(
          'bad',
          say('home.dashboard.awaiting', {
            strong: tags.strong,
            n: tags.number,
            awaitingRewards: funding.awaitingRewards,
            link: tags.link('/funding'),
          }),
        )
      : funding.fundingCents < lowBalanceThresholdCents
        ? notice('warn', say('home.dashboard.fundingBelow', { link: tags.link('/funding') }))
        : nothing,
    metrics([
      { ...fundingMetric(funding, currency), href: '/funding' },
      usageMetric(today, currency),
      refusalMetric(refusals),
    ]),
    monthPart(months, currency),
    refusedToday(ctx, refusals),
    latestEvents(events, 'LIVE'),
    html`<details class="card fold"><summary class="fold-head"><h2>${say('home.goLiveChecklist')}</h2>${progress(found)}</summary>${list}</details>`,
  );
}

/** Home of a LIVE partner in TEST mode. */
export function testHomePage(
  ctx: PageContext<'partner'>,
  { refusals, events }: Pick<LiveHome, 'refusals' | 'events'>,
  questions: number,
): Page {
  const { viewer } = ctx.state;
  return page(
    {
      title: viewer.partner.name,
      lead: say('home.testHome.lead'),
      actions: ctx.state.mayOpen('/console')
        ? linkButton('/console', say('home.testHome.button'), 'secondary')
        : nothing,
    },
    suspended(viewer),
    factorDue(viewer),
    questionsNotice(viewer, questions),
    refusedToday(ctx, refusals),
    latestEvents(events, 'TEST'),
  );
}

function refusedToday(ctx: PageContext<'partner'>, refusals: LiveHome['refusals']): Html {
  if (refusals.length === 0) return nothing;
  return section(
    say('home.section.refusedToday'),
    table({
      caption: say('home.refusedToday.caption'),
      columns: [
        {
          heading: say('common.code'),
          cell: ({ code }) => html`<a href="/events?code=${code}"><code>${code}</code></a>`,
        },
        { heading: say('common.requests'), cell: ({ count }) => number(count), isNumber: true },
      ],
      rows: refusals,
      empty: nothing,
    }),
    html`<p class="muted after">${say('home.sinceMidnightUtc')} ${ctx.state.mayOpen('/doctor') ? say('home.refusedToday.text', { link: tags.link('/doctor') }) : nothing}</p>`,
  );
}

function latestEvents(events: readonly OrderEventDoc[], mode: Mode): Html {
  return section(
    say('home.section.latestEvents'),
    table({
      caption: say('home.latestEvents.caption', { mode }),
      columns: [
        { heading: say('common.when'), cell: ({ receivedAt }) => time(receivedAt) },
        { heading: say('common.type'), cell: ({ type }) => badge(type) },
        {
          heading: say('common.order'),
          cell: ({ _id, externalOrderId }) =>
            html`<a class="clip" href="/events/${_id}">${externalOrderId}</a>`,
        },
        { heading: say('home.orderTotal'), cell: orderTotal, isNumber: true },
        { heading: say('common.points'), cell: pointsOf, isNumber: true },
        {
          heading: say('common.reward'),
          cell: ({ rewardId }) => idLink(rewardId, say('home.open')),
        },
      ],
      rows: events,
      empty: emptyState(
        say('home.latestEvents.empty.title', { mode }),
        say('home.latestEvents.empty.text', { mode }),
        linkButton('/keys', say('home.viewYourKeys'), 'secondary'),
      ),
    }),
    events.length === 0
      ? nothing
      : html`<p class="after"><a href="/events">${say('home.allEvents')}</a></p>`,
  );
}

function usageMetric(
  { points, isMetered, includedPoints, use }: LiveHome,
  currency: string,
): Metric {
  const note = !isMetered
    ? say('home.usageMetric.text')
    : use.overagePoints > 0
      ? say('home.overTheAllowance', {
          overagePoints: numberText(use.overagePoints),
          overage: moneyText(use.overageCents, currency),
        })
      : say('home.ofIncluded', { includedPoints: numberText(includedPoints) });
  return { name: say('home.pointsThisPeriod'), value: numberText(points), note, href: '/usage' };
}

function refusalMetric(refusals: LiveHome['refusals']): Metric {
  const total = refusals.reduce((sum, { count }) => sum + count, 0);
  return {
    name: say('home.refusedToday'),
    value: numberText(total),
    note:
      total === 0
        ? say('home.refusalMetric.note.everyLive')
        : say('home.refusalMetric.note.liveRequests'),
    ...(total > 0 && { href: '/events' }),
  };
}

const orderTotal = ({ purchase }: OrderEventDoc): Html =>
  purchase
    ? html`<span class="number">${moneyText(purchase.arithmetic.subtotalCents, purchase.currency)}</span>`
    : html`<span class="muted">–</span>`;

const pointsOf = ({ purchase }: OrderEventDoc): Html =>
  purchase ? number(purchase.arithmetic.points) : html`<span class="muted">–</span>`;

function suspended({ partner }: PartnerViewer): Html {
  return partner.status === 'SUSPENDED'
    ? notice('bad', say('home.suspended.notice', { strong: tags.strong }))
    : nothing;
}

/** Tells users of a LIVE partner by when they need a second factor. */
function factorDue({ factorDueAt }: PartnerViewer): Html {
  return factorDueAt === null
    ? nothing
    : notice(
        'warn',
        say('home.factorDue.notice', {
          strong: tags.strong,
          factorDueAt: day(factorDueAt),
          link: tags.link('/second-factor/enroll'),
        }),
      );
}

/** Unanswered questions of operators, which hold up decisions on refunds. */
function questionsNotice(viewer: PartnerViewer, questions: number): Html {
  if (questions === 0) return nothing;
  return notice(
    'warn',
    say('home.questions.notice', {
      strong: tags.strong,
      link: tags.link('/questions'),
      questions,
      may: hasPermission(viewer, 'review.answer') ? 'answer' : 'read',
    }),
  );
}
