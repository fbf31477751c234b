import { type ChecklistItem, type GoLiveState, goLiveMove } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { EvidenceNames, GoLiveProgress } from '../../models/views/go-live.ts';
import { badge, linkButton, notice, section, wordsOf } from '../components/components.ts';
import { evidenceLink } from '../components/evidence.ts';
import { form } from '../components/form.ts';
import { type Html, html, nothing, type Part, time } from '../components/format.ts';
import { missingList, missingWords, stepList } from '../components/steps.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { remedyOf } from '../words/go-live-words.ts';
import { rehearsalEvidence } from '../words/rehearsal-words.ts';

const leads: Readonly<Record<GoLiveState, string>> = {
  SANDBOX:
    'You are in the sandbox: TEST events work like LIVE ones and affect no balance. Meet these conditions to go LIVE.',
  IN_REVIEW: 'Your request is with an operator. You don’t need to do anything. TEST keeps working.',
  CHANGES_REQUESTED: 'The reviewer has requested changes. Make them, then request go-live again.',
  LIVE: 'You are live: LIVE keys create real rewards.',
};

const way: readonly GoLiveState[] = ['SANDBOX', 'IN_REVIEW', 'LIVE'];

const mayRequestGoLive = ({ status, goLive }: PartnerDoc): boolean =>
  status === 'ACTIVE' && goLiveMove('REQUEST').from.includes(goLive.state);

/** @param isConfirmed whether the viewer has recently given the second factor, which the request needs */
export function goLivePage(
  ctx: PageContext<'partner'>,
  { facts, checklist, evidence, rehearsal }: GoLiveProgress,
  isConfirmed: boolean,
): Page {
  const { viewer } = ctx.state;
  const { partner } = viewer;
  const { goLive } = partner;
  const { isReady, items } = checklist;
  const missing = { funding: facts.funding, isReady };
  const firstUnmet = items.find(({ isMet }) => !isMet);
  const isOwner = hasPermission(viewer, 'partner.request-go-live');
  const canRequest = isReady && isOwner && mayRequestGoLive(partner);
  const action =
    canRequest && !isConfirmed
      ? linkButton('/go-live/request', 'Request go-live')
      : goLive.state === 'LIVE' && hasPermission(viewer, 'credential.live')
        ? linkButton('/keys/live/new', 'Generate LIVE key')
        : nothing;
  return page(
    { title: 'Go-live', lead: leads[goLive.state], actions: action },
    stateBar(goLive.state),
    partner.status === 'SUSPENDED'
      ? notice('bad', 'The account is suspended. Contact us first.')
      : nothing,
    goLive.state === 'CHANGES_REQUESTED'
      ? html`<section class="card note"><h2>The reviewer’s notes</h2><blockquote>${goLive.reason}</blockquote><p class="muted">${time(goLive.decidedAt)}</p></section>`
      : nothing,
    canRequest && isConfirmed
      ? html`<section class="card next"><p class="next-label">Next</p><h2>Request go-live</h2>${requestForm(ctx)}</section>`
      : nothing,
    section(
      goLive.state === 'LIVE' ? 'What was approved' : 'Requirements',
      stepList(
        items.map((item) => {
          const { requirement, isMet } = item;
          const { title, path, button } = remedyOf(requirement);
          const isWaiting = requirement === 'APPROVAL' && goLive.state === 'IN_REVIEW';
          const canFix = !isMet && requirement !== 'APPROVAL' && ctx.state.mayOpen(path);
          return {
            title,
            state: isMet ? 'DONE' : isWaiting ? 'WAITING' : item === firstUnmet ? 'NEXT' : 'TO_DO',
            text: isMet ? nothing : missingWords(item, partner, missing),
            evidence: isMet ? proofOf(item, partner, evidence) : [],
            action: canFix ? html`<a href="${path}">${button}</a>` : nothing,
          };
        }),
      ),
    ),
    html`<p class="muted">${rehearsalEvidence(rehearsal)}</p>`,
    goLive.state === 'IN_REVIEW'
      ? html`<p class="muted">Requested on ${time(goLive.requestedAt)}.</p>`
      : nothing,
    isReady && !isOwner && mayRequestGoLive(partner)
      ? notice('info', 'Everything is complete. An owner of your team can request go-live.')
      : nothing,
  );
}

export function requestGoLivePage(
  ctx: PageContext<'partner'>,
  { facts, checklist }: GoLiveProgress,
  filled: Filled,
): Page {
  const { partner } = ctx.state.viewer;
  const options = {
    title: 'Request go-live',
    crumbs: [['Go-live', '/go-live']] as const,
  };
  if (!checklist.isReady || !mayRequestGoLive(partner)) {
    return page(
      options,
      filled.errors[''] === undefined ? nothing : notice('bad', 'Go-live was not requested.'),
      html`<section class="card">${
        mayRequestGoLive(partner)
          ? html`<p>You can request go-live once everything is complete. Still missing:</p>${missingList(checklist, partner, facts.funding)}`
          : html`<p>There is nothing to request: go-live is ${badge(partner.goLive.state)}, and the account is ${badge(partner.status)}.</p>`
      }${linkButton('/go-live', 'Back to the checklist', 'secondary')}</section>`,
    );
  }
  return page(options, html`<div class="card narrow">${requestForm(ctx, filled)}</div>`);
}

const requestForm = (ctx: PageContext<'partner'>, filled: Filled = emptyForm): Html =>
  html`<p>An operator reviews your profile, rule, funding and TEST requests. The decision appears on this page.</p>
<p>Once approved, owners can generate LIVE keys; nothing goes live by itself.</p>${form(ctx, {
    action: '/go-live/request',
    submit: 'Request go-live',
    filled,
  })}`;

/** The evidence for a met item. Operators are not identified to partners. */
function proofOf(
  { requirement, evidence }: ChecklistItem,
  { goLive, currency }: PartnerDoc,
  names: EvidenceNames,
): readonly Part[] {
  if (requirement === 'APPROVAL') return [html`Approved on ${time(goLive.decidedAt)}`];
  if (requirement === 'PROFILE') return [html`<a href="/profile">The profile</a>`];
  return evidence.map((id) => evidenceLink(id, names, currency));
}

/** The partner's progress towards LIVE. */
function stateBar(state: GoLiveState): Html {
  const at = state === 'CHANGES_REQUESTED' ? 1 : way.indexOf(state);
  return html`<ol class="way" aria-label="Go-live progress">${way.map((one, index) => {
    const isHere = index === at;
    const text = isHere ? wordsOf(state) : wordsOf(one);
    return html`<li class="${index < at || state === 'LIVE' ? 'way-done' : isHere ? 'way-here' : 'way-later'}" ${isHere ? html`aria-current="step"` : nothing}>${text}</li>`;
  })}</ol>`;
}
