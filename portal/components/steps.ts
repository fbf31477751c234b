import {
  type ChecklistItem,
  comesWithRequest,
  goLiveChecklist,
  type Requirement,
  type SetUpEvidence,
  type SetUpStep,
} from '../../domain/go-live.ts';
import type { PartnerPermission } from '../../domain/partners.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { SetUpProgress } from '../../views/go-live.ts';
import type { PageContext } from '../context.ts';
import { purchaseToSend } from '../forms/console-form.ts';
import { hasPermission } from '../middleware/access.ts';
import { type Remedy, remedyOf } from '../words/go-live-words.ts';
import { missingLabels } from '../words/profile-words.ts';
import { wordsOfStep } from '../words/set-up-words.ts';
import { linkButton } from './components.ts';
import { form, hidden } from './form.ts';
import { type Html, html, moneyText, nothing, type Part } from './format.ts';

/** NEXT is the step to do now. */
export type StepState = 'DONE' | 'NEXT' | 'TO_DO' | 'OPTIONAL' | 'WAITING' | 'LOCKED';

export interface Step {
  title: string;
  state: StepState;
  /** A description, or what is missing. */
  text?: Part;
  /** Proof that the step is done. */
  evidence?: readonly Part[];
  action?: Html;
}

const words: Readonly<Record<StepState, string>> = {
  DONE: 'Done',
  NEXT: 'Next',
  TO_DO: 'To do',
  OPTIONAL: 'Optional',
  WAITING: 'In review',
  LOCKED: 'Later',
};

const tick = html`<svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true"><path d="M3.2 8.6l3.1 3.1 6.5-7" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** A list of steps with state, evidence and action. */
export function stepList(steps: readonly Step[]): Html {
  return html`<ol class="step-list">${steps.map(
    ({ title, state, text = nothing, evidence = [], action = nothing }, index) =>
      html`<li class="step step-${state.toLowerCase()}"><span class="step-mark" aria-hidden="true">${state === 'DONE' ? tick : index + 1}</span>
<div><p class="step-title">${title} <span class="step-state">${words[state]}</span></p>
${text === nothing ? nothing : html`<div class="step-text">${text}</div>`}
${evidence.length === 0 ? nothing : html`<p class="step-evidence">${evidence.map((one) => html`<span>${one}</span>`)}</p>`}</div>
<div class="step-action">${action}</div></li>`,
  )}</ol>`;
}

/** What the partner still has to do for an item. */
export function missingWords(
  { requirement }: ChecklistItem,
  partner: PartnerDoc,
  {
    funding,
    isReady,
  }: { funding: { balanceCents: number; minimumCents: number }; isReady: boolean },
): string {
  const money = (cents: number) => moneyText(cents, partner.currency);
  switch (requirement) {
    case 'PROFILE':
      return `Fill in: ${missingLabels(partner).join(', ')}.`;
    case 'EARNING_RULE':
      return 'Promote a TEST rule to LIVE. An owner can do this and sees first what changes.';
    case 'FUNDING':
      return `Your balance is ${money(funding.balanceCents)}; at least ${money(Math.max(1, funding.minimumCents))} is required. Top up the difference.`;
    case 'INTEGRATION':
      return 'Create an integration. It only needs a name.';
    case 'TEST_PURCHASE':
      return 'Send a signed TEST purchase, from the test console or your own system.';
    case 'TEST_REFUND':
      return 'Send a signed refund of a TEST purchase.';
    case 'APPROVAL':
      if (partner.goLive.state === 'IN_REVIEW') return 'An operator reviews your request.';
      return isReady
        ? 'Everything else is complete: request go-live.'
        : 'You can request go-live once everything else is complete.';
  }
}

/** The remaining conditions for go-live, except the approval itself, each with a link to where it is met. */
export function missingList(partner: PartnerDoc, known: SetUpEvidence): Html {
  const { items, isReady } = goLiveChecklist(known.goLive);
  const { funding } = known.goLive;
  const unmet = items.filter(
    ({ isMet, requirement }) =>
      !isMet && requirement !== 'APPROVAL' && !comesWithRequest(requirement, known),
  );
  return html`<ul>${unmet.map((item) => {
    const { title, path, button } = remedyFor(item.requirement, known);
    return html`<li><strong>${title}.</strong> ${missingWords(item, partner, { funding, isReady })} <a href="${path}">${button}</a></li>`;
  })}</ul>`;
}

/** Where a condition is met: a rule is promoted where there is one to promote. */
function remedyFor(requirement: Requirement, { promotableRuleIds }: SetUpEvidence): Remedy {
  const remedy = remedyOf(requirement);
  if (requirement !== 'EARNING_RULE') return remedy;
  const [onlyRule, ...others] = promotableRuleIds;
  if (onlyRule === undefined)
    return { ...remedy, path: '/rules/new?mode=TEST', button: 'Create rule' };
  const path = others.length === 0 ? `/rules/${onlyRule}/promote` : remedy.path;
  return { ...remedy, path };
}

/** The partner's next step. */
export interface NextSetUpStep {
  step: SetUpStep;
  /** What go-live requires next, if that is the step. */
  requirement: Requirement | null;
  title: string;
  text: Part;
  path: string;
  button: string;
  permission: PartnerPermission;
  /** The remaining conditions, if go-live is next. */
  missing: Html;
}

/** @returns null if everything is done, or someone else has to act */
export function nextSetUpStepOf(
  partner: PartnerDoc,
  { setUp: { next }, known }: SetUpProgress,
): NextSetUpStep | null {
  if (next === null) return null;
  const { title, text, path, button, permission } = wordsOfStep(next.step);
  const isReturned = partner.goLive.state === 'CHANGES_REQUESTED' && next.step === 'GO_LIVE';
  const { requirement } = next;
  const common = {
    step: next.step,
    requirement,
    permission,
    text: isReturned
      ? 'The reviewer has requested changes. Make them, then request go-live again.'
      : text,
  };
  if (requirement === null) return { ...common, title, path, button, missing: nothing };
  const remedy = remedyFor(requirement, known);
  if (requirement === 'APPROVAL') {
    return { ...common, title, path: remedy.path, button: remedy.button, missing: nothing };
  }
  return {
    ...common,
    title: `${title}: ${remedy.title.toLowerCase().replaceAll('live', 'LIVE')}`,
    path: remedy.path,
    button: remedy.button,
    missing: missingList(partner, known),
  };
}

/** The number of required steps that are done, as a sentence. */
export function doneWords({ setUp: { items } }: SetUpProgress): {
  done: number;
  needed: number;
  words: string;
} {
  const all = items.filter(({ step }) => step !== 'TEST_FUNDING');
  const done = all.filter(({ state }) => state === 'DONE').length;
  return {
    done,
    needed: all.length,
    words: `${done} of ${all.length} steps done`,
  };
}

/** A button for the next step: a link to its page, or the step itself if it needs no more than a click. */
export function nextButton(
  ctx: PageContext<'partner'>,
  { step, path, button }: NextSetUpStep,
  { testKeyIds: [credentialId] }: SetUpEvidence,
  nowMs: number,
): Html {
  if (step !== 'TEST_PURCHASE' || credentialId === undefined) return linkButton(path, button);
  const { json: _, ...purchase } = purchaseToSend(ctx.state.viewer.partner.currency, nowMs);
  const fields = { type: 'purchase', as: 'fields', step: 'send', credentialId, ...purchase };
  return html`<div class="buttons">${form(
    ctx,
    { action: '/console', submit: 'Send a TEST purchase', isInline: true },
    Object.entries(fields).map(([name, value]) => hidden(name, value)),
  )}${linkButton(path, button, 'secondary')}</div>`;
}

/**
 * The next step, shown on the page where the previous one was completed.
 * @param here the current page, which is never linked to itself
 */
export function nextBar(
  ctx: PageContext<'partner'>,
  progress: SetUpProgress,
  here: string,
  nowMs: number,
): Html {
  const { viewer } = ctx.state;
  const next = nextSetUpStepOf(viewer.partner, progress);
  if (next === null || next.path === here || !hasPermission(viewer, next.permission)) {
    return nothing;
  }
  return html`<section class="card next next-bar" aria-labelledby="next-step"><div><p class="next-label">Next</p>
<h2 id="next-step">${next.title}</h2><p class="muted"><a href="/home">${doneWords(progress).words}</a></p></div>
${nextButton(ctx, next, progress.known, nowMs)}</section>`;
}
