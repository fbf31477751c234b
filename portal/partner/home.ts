import Joi from 'joi';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { SetUpState, SetUpStep } from '../../domain/go-live.ts';
import { defaultLanguage } from '../../domain/languages.ts';
import type { Mode } from '../../domain/mode.ts';
import { liveKeyDays } from '../../domain/partners.ts';
import { cappedByContract } from '../../domain/points.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { execute } from '../../operations/execute.ts';
import { requestGoLive } from '../../operations/go-live.ts';
import {
  readProgress,
  readSetUp,
  type SetUpOfPartner,
  type SetUpProgress,
} from '../../views/go-live.ts';
import {
  type EventWithOutcome,
  type LiveHome,
  readLiveHome,
  readTestHome,
} from '../../views/home.ts';
import { integrationChoices } from '../../views/integrations.ts';
import { anyRefusal } from '../../views/log.ts';
import type { PartnerScope } from '../../views/partner-scope.ts';
import { countUnanswered } from '../../views/reviews.ts';
import { readPromotable } from '../../views/rules.ts';
import { readMonths } from '../../views/usage.ts';
import { readWebhookEndpoints } from '../../views/webhooks.ts';
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
import { type Choice, field, form, formBehind, hidden, select } from '../components/form.ts';
import {
  day,
  type Html,
  html,
  money,
  moneyText,
  nothing,
  numberText,
  plural,
  time,
} from '../components/format.ts';
import { fundingMetric } from '../components/funding-metric.ts';
import { rewardBadge } from '../components/reward-badge.ts';
import { workedExamples } from '../components/rules.ts';
import {
  doneWords,
  missingList,
  type NextSetUpStep,
  nextButton,
  nextSetUpStepOf,
  type Step,
  type StepState,
  stepList,
} from '../components/steps.ts';
import { hostOf } from '../components/tables.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, type PartnerViewer, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { hasPermission } from '../middleware/access.ts';
import { actorOf } from '../operate.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';
import { meaningOf } from '../words/log-words.ts';
import { missingLabels } from '../words/profile-words.ts';
import { rehearsalEvidence } from '../words/rehearsal-words.ts';
import { sentenceOfRule, wordsOfRule } from '../words/rule-words.ts';
import { stages, wordsOfStep } from '../words/set-up-words.ts';
import { languageNames } from '../words/words.ts';
import { type HowToTopUp, howToPay, howToPaySteps } from './funding.ts';
import { promoteRule } from './rule-changes.ts';

/** The start page: the set-up steps, with the request for go-live; once live, a daily overview. */
export function homePages(routes: Routes): void {
  const partner = routes.of('partner');
  routes.of('user').page('/', redirectHome);
  partner.page('/home', showHome);
  // It makes LIVE rules, too.
  partner.action(
    '/go-live',
    { schema: requestSchema, act: request, retry: showHome },
    { operation: requestGoLive, secondFactor: true },
  );
}

function redirectHome(ctx: PageContext<'user'>): void {
  redirect(ctx, ctx.state.viewer.kind === 'partner' ? '/home' : '/admin');
}

async function showHome(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partner } = ctx.state.viewer;
  const mode = modeOf(ctx);
  const attention = await readAttention(deps, ownScope(ctx), mode);
  if (partner.goLive.state !== 'LIVE') {
    const found = await readSetUp(deps, partner);
    const parts = await readNextParts(deps, ownScope(ctx), partner, found);
    return render(ctx, setUpPage(ctx, found, attention, parts));
  }
  if (mode === 'TEST') {
    return render(ctx, testHomePage(ctx, await readTestHome(deps, ownScope(ctx)), attention));
  }
  const [progress, live] = await Promise.all([
    readProgress(deps, partner),
    readLive(deps, ownScope(ctx)),
  ]);
  const parts = await readNextParts(deps, ownScope(ctx), partner, progress);
  render(ctx, dashboardPage(ctx, live, progress, attention, parts));
}

async function readAttention(
  deps: PageDeps,
  partnerId: PartnerScope,
  mode: Mode,
): Promise<Attention> {
  const [questions, endpoints] = await Promise.all([
    countUnanswered(deps, partnerId, mode),
    readWebhookEndpoints(deps, partnerId, mode),
  ]);
  const failingWebhooks = endpoints.filter(
    ({ status, failingSince }) =>
      status === 'DISABLED' || (status === 'ACTIVE' && failingSince !== null),
  );
  return { questions, failingWebhooks };
}

async function readLive(deps: PageDeps, partnerId: PartnerScope): Promise<LiveNow> {
  const [today, months] = await Promise.all([
    readLiveHome(deps, partnerId),
    readMonths(deps, partnerId),
  ]);
  return { today, months };
}

async function readNextParts(
  deps: PageDeps,
  scope: PartnerScope,
  partner: PartnerDoc,
  { setUp: { next } }: SetUpProgress,
): Promise<NextParts> {
  const promoted =
    next?.requirement === 'APPROVAL' ? await readPromotable(deps, scope, partner) : [];
  return {
    nowMs: deps.now(),
    howToPay: howToPay(deps, partner),
    promoted: promoted.map((rule) => cappedByContract(rule, partner)),
    integrations: next?.step === 'LIVE_KEY' ? await integrationChoices(deps, scope) : [],
  };
}

const requestSchema = Joi.object<{ rule: string[] }>({
  rule: Joi.array().items(Joi.string().max(64)).single().default([]),
});

/** Requests go-live, after promoting the rules that the page showed. */
async function request(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { rule: shown }: { rule: string[] },
): Promise<void> {
  const { partner } = ctx.state.viewer;
  const scope = ownScope(ctx);
  const promotable = await readPromotable(deps, scope, partner);
  const { setUp } = await readProgress(deps, partner);
  // If anything else is missing, the request says so, and no rule becomes LIVE.
  const isReady = partner.status === 'ACTIVE' && setUp.next?.requirement === 'APPROVAL';
  if (isReady && promotable.length > 0) {
    const ruleIds = promotable.map(({ ruleId }) => ruleId);
    if (ruleIds.toSorted().join() !== shown.toSorted().join()) {
      throw new ServiceError(
        'CONFLICT',
        'Your TEST rules have changed. Check them, then request again.',
      );
    }
    for (const rule of promotable) await promoteRule(ctx, deps, rule, null);
  }
  await execute(deps, requestGoLive, actorOf(ctx), { partnerId: partner._id });
  redirect(ctx, '/home', 'Go-live requested. An operator will review it.');
}

/** What needs attention, whatever else a page shows. */
interface Attention {
  questions: number;
  failingWebhooks: readonly WebhookEndpointDoc[];
}

function setUpPage(
  ctx: PageContext<'partner'>,
  found: SetUpOfPartner,
  attention: Attention,
  parts: NextParts,
): Page {
  const { viewer } = ctx.state;
  const { name, goLive } = viewer.partner;
  return page(
    {
      title: `Set up ${name}`,
      lead: 'Four stages take you from a new account to LIVE. Each step is checked off automatically, with its evidence.',
    },
    attentionPart(viewer, attention),
    goLive.state === 'CHANGES_REQUESTED'
      ? html`<section class="card note"><h2>Changes requested</h2><blockquote>${goLive.reason}</blockquote><p class="muted">The reviewer’s notes, ${time(goLive.decidedAt)}</p></section>`
      : nothing,
    nextCard(ctx, found, parts),
    html`<section class="card"><div class="card-head"><h2>Stages</h2>${progress(found)}</div>${stagesPart(ctx, found)}</section>`,
  );
}

/** The stages, of which those are open that something can be done in. */
function stagesPart(ctx: PageContext<'partner'>, found: SetUpOfPartner): Html {
  const { viewer } = ctx.state;
  const stepOf = stepsOf(viewer, found);
  const nextStep = found.setUp.next?.step;
  const company = companySteps(viewer);
  const parts = [
    { title: 'Company', steps: company, isNext: company.some(({ state }) => state === 'TO_DO') },
    ...stages.map(({ title, steps }) => ({
      title,
      steps: steps.map(stepOf),
      isNext: nextStep !== undefined && steps.includes(nextStep),
    })),
  ];
  const after: Record<string, Html> = {
    Integration: inviteDeveloper(ctx),
    'TEST evidence': html`<p class="muted">${rehearsalEvidence(found.rehearsal)} <a href="/console/rehearsal">Rehearse failures</a></p>`,
  };
  return html`${parts.map(
    ({ title, steps, isNext }, index) =>
      html`<details class="stage" ${isNext ? html`open` : nothing}><summary><h3>${index + 1}. ${title}</h3> <span class="muted">${stageWords(steps)}</span></summary>${stepList(steps)}${after[title] ?? nothing}</details>`,
  )}`;
}

function stageWords(steps: readonly Step[]): string {
  const needed = steps.filter(({ state }) => state !== 'OPTIONAL');
  const done = needed.filter(({ state }) => state === 'DONE').length;
  return done === needed.length ? 'Done' : `${done} of ${needed.length} done`;
}

/** The profile, and how customers see the partner, with its preview. */
function companySteps(viewer: PartnerViewer): Step[] {
  const { partner } = viewer;
  const missing = missingLabels(partner);
  const { branding } = partner;
  const mayChange = hasPermission(viewer, 'partner.update');
  return [
    {
      title: 'Complete your company’s profile',
      state: missing.length === 0 ? 'DONE' : 'TO_DO',
      text: missing.length === 0 ? nothing : `Missing: ${missing.join(', ')}.`,
      action:
        mayChange && missing.length > 0 ? html`<a href="/profile">Complete profile</a>` : nothing,
    },
    {
      title: 'Choose language and logo',
      state: 'OPTIONAL',
      text: `Messages to customers are in ${languageNames[branding?.language ?? defaultLanguage]}, with ${branding?.logo ? 'your logo' : 'your name instead of a logo'}.`,
      action: html`<a href="/branding">${mayChange ? 'Choose, with a preview' : 'Preview'}</a>`,
    },
  ];
}

/** Who signs requests is often somebody else than who opened the account. */
function inviteDeveloper(ctx: PageContext<'partner'>): Html {
  if (!hasPermission(ctx.state.viewer, 'user.invite')) return nothing;
  return formBehind(
    ctx,
    { ask: 'Invite your developer …', action: '/team/invite', submit: 'Send invitation' },
    hidden('role', 'developer'),
    field({
      name: 'email',
      label: 'Email',
      type: 'email',
      isRequired: true,
      maxLength: 255,
      autocomplete: 'off',
      hint: 'They can create integrations, TEST keys and rules, and send TEST requests.',
    }),
  );
}

/** What the card of the next step shows in place. */
interface NextParts {
  nowMs: number;
  howToPay: HowToTopUp;
  /** What the request for go-live promotes, within the limits of the contract. */
  promoted: readonly EarningRule[];
  /** Whose LIVE key may be generated. */
  integrations: readonly Choice[];
}

/** The next step, done right here where it needs no page of its own. */
function nextCard(ctx: PageContext<'partner'>, found: SetUpProgress, parts: NextParts): Html {
  const { viewer } = ctx.state;
  const { goLive } = viewer.partner;
  const next = nextSetUpStepOf(viewer.partner, found);
  if (next === null) {
    return goLive.state === 'IN_REVIEW'
      ? html`<section class="card next"><p class="next-label">In review</p><h2>An operator is reviewing your request</h2><p>Requested on ${time(goLive.requestedAt)}. You don’t need to do anything. TEST keeps working.</p></section>`
      : nothing;
  }
  const isRequest = next.requirement === 'APPROVAL';
  return html`<section class="card next"><p class="next-label">Next</p>
<h2>${next.title}</h2>
<p>${isRequest ? 'Everything is complete. An operator reviews your profile, rule, funding and TEST requests. Once approved, owners can generate LIVE keys; nothing goes live by itself.' : next.text}</p>
${next.missing === nothing ? nothing : html`<p>Still missing:</p>${next.missing}`}
${
  hasPermission(viewer, next.permission)
    ? doHere(ctx, next, found, parts)
    : html`<p class="muted">Your role can’t do this. Ask someone else on <a href="/team">your team</a>.</p>`
}
</section>`;
}

function doHere(
  ctx: PageContext<'partner'>,
  next: NextSetUpStep,
  { known }: SetUpProgress,
  { nowMs, howToPay, promoted, integrations }: NextParts,
): Html {
  if (next.requirement === 'FUNDING') return howToPaySteps(ctx.state.viewer.partner, howToPay);
  if (next.requirement === 'APPROVAL') return requestForm(ctx, promoted, nowMs);
  if (next.step === 'LIVE_KEY') return liveKeyForm(ctx, integrations);
  return nextButton(ctx, next, known, nowMs);
}

function requestForm(
  ctx: PageContext<'partner'>,
  promoted: readonly EarningRule[],
  nowMs: number,
): Html {
  return html`${promoted.map(
    (
      rule,
    ) => html`<p>Your request also activates this rule in LIVE, where points cost you real money:<br><strong>${sentenceOfRule(rule)}</strong> A point costs ${wordsOfRule(rule).pointValue}.</p>
<details><summary>What an order earns and costs</summary>${workedExamples(rule, nowMs)}</details>`,
  )}${form(
    ctx,
    {
      action: '/go-live',
      submit: promoted.length === 0 ? 'Request go-live' : 'Activate in LIVE and request go-live',
      isInline: true,
    },
    promoted.map(({ ruleId }) => hidden('rule', ruleId)),
  )}`;
}

function liveKeyForm(ctx: PageContext<'partner'>, integrations: readonly Choice[]): Html {
  const [only, ...others] = integrations;
  return html`${form(
    ctx,
    { action: '/keys/new?mode=LIVE', submit: 'Generate LIVE key', isInline: true },
    only !== undefined && others.length === 0
      ? hidden('integrationId', only.value)
      : select({ name: 'integrationId', label: 'Integration', choices: integrations }),
  )}<p class="muted after">It can send events and read, and is valid for ${liveKeyDays.default} days. <a href="/keys/new?mode=LIVE">Choose otherwise</a></p>`;
}

function progress(found: SetUpProgress): Html {
  const { done, needed, words } = doneWords(found);
  return html`<p class="progress-words"><progress value="${done}" max="${needed}" aria-label="Steps done"></progress> ${words}</p>`;
}

const shownState = (state: SetUpState, isNext: boolean): StepState => (isNext ? 'NEXT' : state);

/** The steps as they are shown. */
function stepsOf(
  viewer: PartnerViewer,
  { setUp: { items, next }, known, evidence: names }: SetUpOfPartner,
): (step: SetUpStep) => Step {
  const shownSteps = new Map(
    items.map(({ step, state, evidence }) => {
      const { title, text, path, button, permission } = wordsOfStep(step);
      const isRequest = step === 'GO_LIVE';
      const canDo =
        ['TO_DO', 'OPTIONAL'].includes(state) && hasPermission(viewer, permission) && !isRequest;
      const shown = evidence.map((id) =>
        id.startsWith('opr_') ? approval(viewer) : evidenceLink(id, names, viewer.partner.currency),
      );
      const shownStep: Step = {
        title,
        text:
          state === 'DONE'
            ? nothing
            : isRequest && state === 'TO_DO' && step !== next?.step
              ? html`${text}${missingList(viewer.partner, known)}`
              : text,
        state: shownState(state, step === next?.step),
        evidence:
          step === 'VERIFY' && state === 'DONE' && known.testReward
            ? [...shown, rewardBadge(known.testReward.state)]
            : shown,
        action: canDo && step !== next?.step ? html`<a href="${path}">${button}</a>` : nothing,
      };
      return [step, shownStep] as const;
    }),
  );
  return (step) => {
    const found = shownSteps.get(step);
    if (found === undefined) throw new Error(`no step ${step}`);
    return found;
  };
}

/** Operators are not identified to partners. */
const approval = ({ partner }: PartnerViewer): Html =>
  html`Approved on ${time(partner.goLive.decidedAt)}`;

interface LiveNow {
  today: LiveHome;
  months: Awaited<ReturnType<typeof readMonths>>;
}

function dashboardPage(
  ctx: PageContext<'partner'>,
  { today, months }: LiveNow,
  progress: SetUpProgress,
  attention: Attention,
  parts: NextParts,
): Page {
  const { viewer } = ctx.state;
  const { name, currency, lowBalanceThresholdCents } = viewer.partner;
  const { funding, refusals, events } = today;
  return page(
    {
      title: name,
      lead: html`The billing period from ${day(new Date(today.period.start))} to ${day(new Date(today.period.end))}, as it stands now.`,
    },
    attentionPart(viewer, attention),
    nextCard(ctx, progress, parts),
    funding.awaitingRewards > 0
      ? notice(
          'bad',
          html`<strong>${plural(funding.awaitingRewards, 'reward is', 'rewards are')} waiting for funds.</strong> ${moneyText(funding.missingCents, currency)} is missing for all of them. Their customers can’t claim until you <a href="/funding/how-to-pay">top up</a>. <a href="/funding">View what holds them up</a>.`,
        )
      : funding.fundingCents < lowBalanceThresholdCents
        ? notice(
            'warn',
            html`The funding is below your threshold. <a href="/funding/how-to-pay">Top up</a> to keep rewards funded.`,
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
  );
}

/** Home of a LIVE partner in TEST mode. */
function testHomePage(
  ctx: PageContext<'partner'>,
  { refusals, events }: Pick<LiveHome, 'refusals' | 'events'>,
  attention: Attention,
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
    attentionPart(viewer, attention),
    refusedToday(ctx, refusals),
    latestEvents(events, 'TEST'),
  );
}

const attentionPart = (viewer: PartnerViewer, { questions, failingWebhooks }: Attention): Html =>
  html`${suspended(viewer)}${factorDue(viewer)}${questionsNotice(viewer, questions)}${failingWebhooks.map(
    ({ _id, url, status }) =>
      notice(
        'bad',
        html`<strong>The webhook endpoint ${hostOf(url)} ${status === 'DISABLED' ? 'was disabled' : 'is failing'}.</strong> <a href="/webhooks/${_id}">See its deliveries</a>`,
      ),
  )}`;

function refusedToday(ctx: PageContext<'partner'>, refusals: LiveHome['refusals']): Html {
  if (refusals.length === 0) return nothing;
  return section(
    'Refused today',
    table({
      caption: 'Requests refused today, by cause',
      columns: {
        Cause: { text: ({ code }) => html`<a href="/events?code=${code}">${meaningOf(code)}</a>` },
        Requests: { number: ({ count }) => count },
      },
      rows: refusals,
    }),
    html`<p class="muted after">Since midnight, UTC. ${ctx.state.mayOpen('/doctor') ? html`The <a href="/doctor">signature doctor</a> explains why a signature was refused.` : nothing}</p>`,
  );
}

function latestEvents(events: readonly EventWithOutcome[], mode: Mode): Html {
  return section(
    'Latest events',
    table({
      caption: `The newest ${mode} events`,
      columns: {
        Order: ({ rewardId, externalOrderId }) =>
          html`<a class="clip" href="/orders/${rewardId}">${externalOrderId}</a>`,
        Type: ({ type }) => badge(type),
        Amount: {
          number: ({ outcome }) =>
            outcome?.amount ? money(outcome.amount.cents, outcome.amount.currency) : none,
        },
        Points: { number: ({ outcome }) => outcome?.points ?? none },
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
    ...(total > 0 && { href: `/events?code=${anyRefusal}` }),
  };
}

const none = html`<span class="muted">–</span>`;

function suspended({ partner }: PartnerViewer): Html {
  return partner.status === 'SUSPENDED'
    ? notice(
        'bad',
        html`<strong>The account is suspended.</strong> Purchases are refused, and customers can neither claim nor spend points, while claim windows keep running. Refunds are accepted. Contact us.`,
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
