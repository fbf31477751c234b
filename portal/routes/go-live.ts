import Joi from 'joi';
import {
  type Checklist,
  type ChecklistLine,
  type GoLiveState,
  goLiveChecklist,
  goLiveMove,
  type Requirement,
} from '../../domain/go-live.ts';
import { requestGoLive } from '../../models/commands/request-go-live.ts';
import { gatherGoLiveFacts } from '../../models/go-live-facts.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import { type PageContext, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms.ts';
import { badge, linkButton, notice, section, wordsOf } from '../html/components.ts';
import { evidenceLinks } from '../html/evidence.ts';
import { form } from '../html/form.ts';
import { moneyText, time } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { stepList } from '../html/step-list.ts';
import { view } from '../html/view.ts';
import { hasPermission } from '../middleware/authorize.ts';
import type { Routes } from '../route-table.ts';
import { missingLabels } from './profile.ts';

/** What is to be done for a line of the checklist, and where. */
export interface Mending {
  title: string;
  path: string;
  button: string;
}

export const mendings: Record<Requirement, Mending> = {
  PROFILE: { title: 'Complete profile', path: '/profile/edit', button: 'Complete the profile' },
  EARNING_RULE: { title: 'Active LIVE earning rule', path: '/rules', button: 'Promote a rule' },
  FUNDING: { title: 'LIVE funding', path: '/funding', button: 'Top up' },
  INTEGRATION: { title: 'Integration', path: '/integrations', button: 'Create an integration' },
  TEST_PURCHASE: { title: 'TEST purchase', path: '/console', button: 'Send a purchase' },
  TEST_REFUND: { title: 'Matching TEST refund', path: '/console', button: 'Send a refund' },
  APPROVAL: { title: 'Approval', path: '/go-live/request', button: 'Request go-live' },
};

/** What a line says while it is not met, to the partner. */
function missingWords(
  { requirement }: ChecklistLine,
  partner: PartnerDoc,
  {
    funding,
    isReady,
  }: { funding: { balanceCents: number; minimumCents: number }; isReady: boolean },
): string {
  const money = (cents: number) => moneyText(cents, partner.currency);
  switch (requirement) {
    case 'PROFILE':
      return `Missing: ${missingLabels(partner).join(', ')}.`;
    case 'EARNING_RULE':
      return 'Promote a TEST rule to LIVE. An owner does it, with a look at what changes.';
    case 'FUNDING':
      return `${money(funding.balanceCents)} of ${money(Math.max(1, funding.minimumCents))} are there. Top up the difference.`;
    case 'INTEGRATION':
      return 'Create one: it takes a name.';
    case 'TEST_PURCHASE':
      return 'Send a signed TEST purchase, from the test console or your own system.';
    case 'TEST_REFUND':
      return 'Send a signed refund of a TEST purchase.';
    case 'APPROVAL':
      if (partner.goLive.state === 'IN_REVIEW') return 'An operator reviews your request.';
      return isReady
        ? 'Everything is there: request it.'
        : 'It can be requested once all the rest is there.';
  }
}

const leads: Record<GoLiveState, string> = {
  SANDBOX:
    'You are in the sandbox: TEST events exercise everything and touch no balance. These conditions lead to LIVE.',
  IN_REVIEW: 'Your request is with an operator. You need do nothing; TEST goes on as before.',
  CHANGES_REQUESTED: 'The reviewer asks for changes. Make them, then request go-live again.',
  LIVE: 'You are live: LIVE keys make real rewards.',
};

const way: readonly GoLiveState[] = ['SANDBOX', 'IN_REVIEW', 'LIVE'];

/** How the partner becomes live. */
export function goLivePages(routes: Routes, deps: PortalDeps): void {
  const mayRequest = ({ status, goLive }: PartnerDoc): boolean =>
    status === 'ACTIVE' && goLiveMove('REQUEST').from.includes(goLive.state);

  async function readChecklist(partner: PartnerDoc) {
    const facts = await gatherGoLiveFacts(deps, partner);
    return { facts, checklist: goLiveChecklist(facts) };
  }

  routes.page({ path: '/go-live', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { viewer } = ctx.state;
    const { partner } = viewer;
    const { goLive } = partner;
    const { facts, checklist } = await readChecklist(partner);
    const { isReady, lines } = checklist;
    const missing = { funding: facts.funding, isReady };
    const linkTo = await evidenceLinks(
      deps.models,
      partner,
      lines.flatMap(({ evidence }) => evidence),
    );
    const firstUnmet = lines.find(({ isMet }) => !isMet);
    const isOwner = hasPermission(viewer, 'partner.request-go-live');
    const action =
      isReady && isOwner && mayRequest(partner)
        ? linkButton('/go-live/request', 'Request go-live')
        : goLive.state === 'LIVE' && hasPermission(viewer, 'credential.live')
          ? linkButton('/keys/live/new', 'Generate a LIVE key')
          : nothing;
    view(
      ctx,
      { title: 'Go-live', lead: leads[goLive.state], actions: action },
      stateBar(goLive.state),
      partner.status === 'SUSPENDED'
        ? notice('bad', 'The account is suspended. Ask your operator before anything else.')
        : nothing,
      goLive.state === 'CHANGES_REQUESTED'
        ? html`<section class="card note"><h2>The reviewer’s notes</h2><blockquote>${goLive.reason}</blockquote><p class="muted">${time(goLive.decidedAt)}</p></section>`
        : nothing,
      section(
        goLive.state === 'LIVE' ? 'What it was granted for' : 'What it takes',
        stepList(
          lines.map((line) => {
            const { requirement, isMet } = line;
            const { title, path, button } = mendings[requirement];
            const isWaiting = requirement === 'APPROVAL' && goLive.state === 'IN_REVIEW';
            const canMend = !isMet && requirement !== 'APPROVAL' && ctx.state.mayOpen(path);
            return {
              title,
              state: isMet
                ? 'DONE'
                : isWaiting
                  ? 'WAITING'
                  : line === firstUnmet
                    ? 'NEXT'
                    : 'TO_DO',
              text: isMet ? nothing : missingWords(line, partner, missing),
              evidence: isMet ? proofOf(line, partner, linkTo) : [],
              action: canMend ? html`<a href="${path}">${button}</a>` : nothing,
            };
          }),
        ),
      ),
      goLive.state === 'IN_REVIEW'
        ? html`<p class="muted">Requested on ${time(goLive.requestedAt)}.</p>`
        : nothing,
      isReady && !isOwner && mayRequest(partner)
        ? notice('info', 'Everything is there. An owner of your team requests go-live.')
        : nothing,
    );
  });

  async function showRequest(ctx: PageContext<'partner'>, filled: Filled = emptyForm) {
    const { partner } = ctx.state.viewer;
    const { checklist, facts } = await readChecklist(partner);
    const options = { title: 'Request go-live', crumbs: [['Go-live', '/go-live']] as const };
    if (!checklist.isReady || !mayRequest(partner)) {
      return view(
        ctx,
        options,
        filled.errors[''] === undefined ? nothing : notice('bad', 'It was not requested.'),
        html`<section class="card">${
          mayRequest(partner)
            ? html`<p>It can be requested once everything is there. Still missing:</p>${missingList(checklist, partner, facts.funding)}`
            : html`<p>There is nothing to request: go-live is ${badge(partner.goLive.state)} and the account ${badge(partner.status)}.</p>`
        }${linkButton('/go-live', 'Back to the checklist', 'secondary')}</section>`,
      );
    }
    view(
      ctx,
      options,
      html`<div class="card narrow"><p>An operator looks at your profile, your rule, your funding and what you sent in TEST. You hear from us on this page.</p>
<p>Once approved, owners can generate LIVE keys; nothing goes live by itself.</p>${form(ctx, {
        ...{ action: '/go-live/request', submit: 'Request go-live', filled },
      })}</div>`,
    );
  }

  const requesting = {
    path: '/go-live/request',
    audience: 'partner',
    permission: 'partner.request-go-live',
    secondFactor: true,
  } as const;
  routes.page(requesting, (ctx) => showRequest(ctx));
  routes.action(requesting, {
    schema: Joi.object({}),
    async act(ctx) {
      const partnerId = ctx.state.viewer.partner._id;
      await deed(
        deps,
        ctx,
        { action: 'partner.request-go-live', partnerId, targetId: partnerId },
        () => requestGoLive(deps, partnerId),
      );
      redirect(ctx, '/go-live', 'Go-live is requested. An operator reviews it.');
    },
    retry: showRequest,
  });
}

function missingList(
  { lines, isReady }: Checklist,
  partner: PartnerDoc,
  funding: { balanceCents: number; minimumCents: number },
): Html {
  const unmet = lines.filter(({ isMet, requirement }) => !isMet && requirement !== 'APPROVAL');
  return html`<ul>${unmet.map((line) => {
    const { title, path, button } = mendings[line.requirement];
    return html`<li><strong>${title}.</strong> ${missingWords(line, partner, { funding, isReady })} <a href="${path}">${button}</a></li>`;
  })}</ul>`;
}

/** What a met line is met by. An operator is nobody whom a partner knows by id. */
function proofOf(
  { requirement, evidence }: ChecklistLine,
  { goLive }: PartnerDoc,
  linkTo: (id: string) => Html,
): readonly Html[] {
  if (requirement === 'APPROVAL') return [html`Approved on ${time(goLive.decidedAt)}`];
  if (requirement === 'PROFILE') return [html`<a href="/profile">The profile</a>`];
  return evidence.map(linkTo);
}

/** Where the partner stands on the way. */
function stateBar(state: GoLiveState): Html {
  const at = state === 'CHANGES_REQUESTED' ? 1 : way.indexOf(state);
  return html`<ol class="way" aria-label="The way to LIVE">${way.map((one, index) => {
    const isHere = index === at;
    const text = isHere ? wordsOf(state) : wordsOf(one);
    return html`<li class="${index < at || state === 'LIVE' ? 'way-done' : isHere ? 'way-here' : 'way-later'}" ${isHere ? html`aria-current="step"` : nothing}>${text}</li>`;
  })}</ol>`;
}
