import type { SetUpState } from '../../domain/go-live.ts';
import type { Mode } from '../../domain/mode.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import type { LiveHome } from '../../models/views/console.ts';
import type { SetUpOfPartner } from '../../models/views/go-live.ts';
import type { readMonths } from '../../models/views/usage.ts';
import { monthPart } from '../components/charts.ts';
import {
  badge,
  emptyState,
  linkButton,
  type Metric,
  metrics,
  notice,
  section,
  table,
} from '../components/components.ts';
import { evidenceLink } from '../components/evidence.ts';
import {
  day,
  type Html,
  html,
  moneyText,
  nothing,
  number,
  numberText,
  time,
} from '../components/format.ts';
import { fundingMetric } from '../components/funding-metric.ts';
import { doneWords, nextStepOf, type StepState, stepList } from '../components/steps.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext, PartnerViewer } from '../context.ts';
import { hasPermission } from '../middleware/access.ts';
import { wordsOfStep } from '../words/set-up-words.ts';

export function setUpPage(viewer: PartnerViewer, found: SetUpOfPartner, questions: number): Page {
  const list = steps(viewer, found);
  return page(
    {
      title: `Set up ${viewer.partner.name}`,
      lead: 'Ten steps, and an optional one, take you from a new account to LIVE. Each is checked off automatically, with its evidence.',
    },
    suspended(viewer),
    factorDue(viewer),
    questionsNotice(viewer, questions),
    nextCard(viewer, found),
    html`<section class="card"><div class="card-head"><h2>Go-live checklist</h2>${progress(found)}</div>${list}</section>`,
  );
}

/** The next step. */
function nextCard(viewer: PartnerViewer, found: SetUpOfPartner): Html {
  const next = nextStepOf(viewer.partner, found);
  if (next === null) {
    const isWaiting = found.setUp.items.some(({ state }) => state === 'WAITING');
    return isWaiting
      ? html`<section class="card next"><p class="next-label">In review</p><h2>An operator is reviewing your request</h2><p>You don’t need to do anything. TEST keeps working.</p>${linkButton('/go-live', 'View request', 'secondary')}</section>`
      : nothing;
  }
  return html`<section class="card next"><p class="next-label">Next</p>
<h2>${next.title}</h2>
<p>${next.text}</p>
${next.missing === nothing ? nothing : html`<p>Still missing:</p>${next.missing}`}
${hasPermission(viewer, next.permission) ? linkButton(next.path, next.button) : html`<p class="muted">Your role can’t do this. Ask someone else on <a href="/team">your team</a>.</p>`}
</section>`;
}

function progress(found: SetUpOfPartner): Html {
  const { done, needed, words } = doneWords(found);
  return html`<p class="progress-words"><progress value="${done}" max="${needed}" aria-label="Steps done"></progress> ${words}</p>`;
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
  html`<a href="/go-live">Approved on ${time(partner.goLive.decidedAt)}</a>`;

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
      lead: html`The billing period from ${day(new Date(today.period.start))} to ${day(new Date(today.period.end))}, as it stands now.`,
    },
    suspended(viewer),
    factorDue(viewer),
    questionsNotice(viewer, questions),
    nextCard(viewer, found),
    funding.awaitingRewards > 0
      ? notice(
          'bad',
          html`<strong>${funding.awaitingRewards === 1 ? html`<span class="number">${numberText(funding.awaitingRewards)}</span> reward is` : html`<span class="number">${numberText(funding.awaitingRewards)}</span> rewards are`} waiting for funds.</strong> Their customers can’t claim until you <a href="/funding">top up</a>.`,
        )
      : funding.fundingCents < lowBalanceThresholdCents
        ? notice(
            'warn',
            html`The funding is below your threshold. <a href="/funding">Top up</a> to keep rewards funded.`,
          )
        : nothing,
    metrics([
      { ...fundingMetric(funding, currency), href: '/funding' },
      usageMetric(today, currency),
      refusalMetric(refusals),
    ]),
    monthPart(months, currency),
    refusedToday(ctx, refusals),
    latestEvents(events, 'LIVE'),
    html`<details class="card fold"><summary class="fold-head"><h2>Go-live checklist</h2>${progress(found)}</summary>${list}</details>`,
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
      lead: 'What your TEST keys sent. Your customers’ rewards are in LIVE.',
      actions: ctx.state.mayOpen('/console')
        ? linkButton('/console', 'Open test console', 'secondary')
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
    'Refused today',
    table({
      caption: 'Requests refused today, by code',
      columns: {
        Code: ({ code }) => html`<a href="/events?code=${code}"><code>${code}</code></a>`,
        Requests: { number: ({ count }) => count },
      },
      rows: refusals,
    }),
    html`<p class="muted after">Since midnight, UTC. ${ctx.state.mayOpen('/doctor') ? html`The <a href="/doctor">signature doctor</a> explains why a signature was refused.` : nothing}</p>`,
  );
}

function latestEvents(events: readonly OrderEventDoc[], mode: Mode): Html {
  return section(
    'Latest events',
    table({
      caption: `The newest ${mode} events`,
      columns: {
        Order: ({ rewardId, externalOrderId }) =>
          html`<a class="clip" href="/orders/${rewardId}">${externalOrderId}</a>`,
        Type: ({ type }) => badge(type),
        Amount: { number: orderTotal },
        Points: { number: pointsOf },
        Received: ({ receivedAt }) => time(receivedAt),
      },
      rows: events,
      empty: emptyState(
        `No ${mode} events yet`,
        `Send your first purchase with a ${mode} key. It appears here at once.`,
        linkButton('/keys', 'View your keys', 'secondary'),
      ),
    }),
    events.length === 0 ? nothing : html`<p class="after"><a href="/events">All events</a></p>`,
  );
}

function usageMetric(
  { points, isMetered, includedPoints, use }: LiveHome,
  currency: string,
): Metric {
  const note = !isMetered
    ? 'No subscription: nothing is charged'
    : use.overagePoints > 0
      ? `${numberText(use.overagePoints)} over the allowance: ${moneyText(use.overageCents, currency)}`
      : `of ${numberText(includedPoints)} included`;
  return { name: 'Points this period', value: numberText(points), note, href: '/usage' };
}

function refusalMetric(refusals: LiveHome['refusals']): Metric {
  const total = refusals.reduce((sum, { count }) => sum + count, 0);
  return {
    name: 'Refused today',
    value: numberText(total),
    note: total === 0 ? 'Every LIVE request was accepted' : 'LIVE requests since midnight UTC',
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
    ? notice(
        'bad',
        html`<strong>The account is suspended.</strong> Events are refused, and rewards can be neither claimed nor spent. Contact us.`,
      )
    : nothing;
}

/** Tells users of a LIVE partner by when they need a second factor. */
function factorDue({ factorDueAt }: PartnerViewer): Html {
  return factorDueAt === null
    ? nothing
    : notice(
        'warn',
        html`<strong>Set up a second factor by ${day(factorDueAt)}.</strong> Your company is LIVE: after that day, nobody can use the portal without one. <a href="/second-factor/enroll">Set it up now</a>`,
      );
}

/** Unanswered questions of operators, which hold up decisions on refunds. */
function questionsNotice(viewer: PartnerViewer, questions: number): Html {
  if (questions === 0) return nothing;
  return notice(
    'warn',
    html`<strong>${questions === 1 ? 'A question waits' : html`${numberText(questions)} questions wait`} for your answer.</strong> An operator has a question about a refund before deciding on it. <a href="/questions">${hasPermission(viewer, 'review.answer') ? 'Answer' : 'Read'} ${questions === 1 ? 'it' : 'them'}</a>`,
  );
}
