import Joi from 'joi';
import type { ChecklistItem, Requirement } from '../../domain/go-live.ts';
import type { Permission } from '../../domain/operators.ts';
import { param } from '../../http/context.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { approveGoLive, requestGoLive, returnGoLive } from '../../operations/go-live.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import { type GoLiveRequest, readGoLiveRequest } from '../../views/go-live.ts';
import {
  badge,
  definitions,
  externalLink,
  notice,
  section,
  table,
} from '../components/components.ts';
import { confirm, form, formBehind, textArea } from '../components/form.ts';
import { type Html, html, money, nothing, timeAway } from '../components/format.ts';
import { crumbsOfPartner, operatorPaths, toId } from '../components/links.ts';
import { approvalNotice } from '../components/money.ts';
import { missingWords } from '../components/steps.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { reasonField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { nameEvidence } from '../routing/name-ids.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { rehearsalEvidence } from '../words/rehearsal-words.ts';
import { countryOf } from '../words/words.ts';

const ofPartner = '/admin/partners/:partnerId';

const path = `${ofPartner}/go-live`;

/** A partner’s go-live request: evidence for each condition, and the decision. */
export function operatorGoLivePages(routes: RoutesOf<'operator'>): void {
  routes.page(path, showGoLive);
  routes.operation(`${path}/approve`, approveGoLive, {
    to: ofPartner,
    said: ({ name }) => `${name} is live.`,
  });
  routes.operation(`${path}/return`, returnGoLive, {
    on: showGoLive,
    form: Joi.object({ reason: reasonField.required() }),
    to: ofPartner,
    said: 'Sent back. The partner sees your notes.',
  });
  routes.operation(`${path}/request`, requestGoLive, { to: path, said: 'Go-live requested.' });
}

async function showGoLive(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const found = await readGoLiveRequest(deps, param(ctx, 'partnerId'));
  const evidence = found.checklist.items.flatMap(({ evidence }) => evidence);
  await nameEvidence(ctx, deps, found.partner, evidence);
  const takesTwo = needsApproval(deps.config, approveGoLive, {});
  render(
    ctx,
    goLiveRequestPage(ctx, found, { needsApproval: takesTwo, nowMs: deps.now(), filled }),
  );
}

const requirementWords: Readonly<Record<Requirement, string>> = {
  PROFILE: 'The profile is complete',
  EARNING_RULE: 'A LIVE earning rule is active',
  FUNDING: 'LIVE funding is in place',
  INTEGRATION: 'An integration exists',
  TEST_PURCHASE: 'A TEST purchase was sent',
  TEST_REFUND: 'Its refund was sent',
  APPROVAL: 'An operator approved',
};

/** @param needsApproval whether the decision needs a second operator */
function goLiveRequestPage(
  ctx: PageContext<'operator'>,
  request: GoLiveRequest,
  { needsApproval, nowMs, filled }: { needsApproval: boolean; nowMs: number; filled: Filled },
): Page {
  const { partner, known, checklist } = request;
  const { isReady } = checklist;
  const { state } = partner.goLive;
  const may = (permission: Permission) => hasPermission(ctx.state.viewer, permission);
  const canRequest = state !== 'IN_REVIEW' && state !== 'LIVE' && isReady;
  return page(
    {
      title: 'Go-live',
      crumbs: crumbsOfPartner(partner),
      lead: badge(state),
    },
    requestSection(request, nowMs),
    state === 'IN_REVIEW' && may('partner.approve-go-live')
      ? decisionSection(ctx, partner, { isReady, needsApproval, filled })
      : nothing,
    checklistSection(ctx, request),
    html`<p class="muted">${rehearsalEvidence(request.rehearsal)}</p>`,
    profile(partner, known.funding),
    canRequest && may('partner.request-go-live') ? requestForm(ctx, partner) : nothing,
  );
}

const pathOf = ({ _id }: PartnerDoc): string => `${operatorPaths.PARTNER}${_id}/go-live`;

function decisionSection(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  { isReady, needsApproval, filled }: { isReady: boolean; needsApproval: boolean; filled: Filled },
): Html {
  const path = pathOf(partner);
  return section(
    'Your decision',
    isReady ? nothing : notice('warn', 'Something is still missing, so it cannot be approved yet.'),
    html`<div class="answers">${[
      isReady
        ? confirm(
            ctx,
            {
              ask: 'Approve …',
              action: `${path}/approve`,
              submit: 'Approve',
              isDangerous: false,
              question: `${partner.name} gets LIVE keys, and its purchases create real rewards. This cannot be undone: a live partner can only be suspended.`,
            },
            needsApproval ? approvalNotice() : nothing,
          )
        : nothing,
      formBehind(
        ctx,
        { ask: 'Send back with notes …', action: `${path}/return`, submit: 'Send back', filled },
        textArea({
          name: 'reason',
          label: 'What needs to change',
          filled,
          isRequired: true,
          maxLength: 500,
          hint: 'The partner sees this text as you write it.',
        }),
      ),
    ]}</div>`,
  );
}

function checklistSection(
  ctx: PageContext<'operator'>,
  { partner, known: { funding }, checklist: { items, isReady } }: GoLiveRequest,
): Html {
  return section(
    'Checklist',
    table({
      caption: 'What a partner needs before it goes live',
      columns: {
        Condition: ({ requirement }: ChecklistItem) => requirementWords[requirement],
        '': ({ requirement, isMet }) =>
          isMet
            ? badge('DONE', 'Met')
            : requirement === 'APPROVAL'
              ? badge('INTENDED', isReady ? 'Waits for you' : 'Comes last')
              : badge('FAILED', 'Missing'),
        Evidence: {
          text: (item) =>
            item.isMet
              ? item.evidence.length === 0
                ? nothing
                : html`<span class="ids">${item.evidence.map((id) => toId(ctx, id))}</span>`
              : missingWords(item, partner, { funding, isReady }),
        },
      },
      rows: items,
    }),
  );
}

function requestForm(ctx: PageContext<'operator'>, partner: PartnerDoc): Html {
  return section(
    'Request',
    html`<p>Only the request is missing. The partner makes it, or you can on its behalf.</p>`,
    form(ctx, {
      action: `${pathOf(partner)}/request`,
      submit: 'Request go-live for the partner',
    }),
  );
}

function requestSection({ partner, nameOf }: GoLiveRequest, nowMs: number): Html {
  const { requestedAt, reviewerId, decidedAt, reason } = partner.goLive;
  if (requestedAt === null) return nothing;
  return section(
    'Request',
    definitions([
      ['Requested', timeAway(requestedAt, nowMs)],
      ...(decidedAt
        ? [
            ['Decided', timeAway(decidedAt, nowMs)] as const,
            ['By', nameOf.get(reviewerId ?? '') ?? reviewerId ?? '–'] as const,
          ]
        : []),
      ...(reason === null ? [] : [['Notes for the partner', reason] as const]),
    ]),
  );
}

/** The partner's details, against which a reviewer checks the rest. */
function profile(
  partner: PartnerDoc,
  funding: { balanceCents: number; minimumCents: number },
): Html {
  const { currency } = partner;
  return section(
    'Partner',
    definitions([
      ['Name', partner.name],
      ['Legal name', partner.legalName ?? '–'],
      ['Website', partner.website === null ? '–' : externalLink(partner.website)],
      ['Contact', partner.contactEmail ?? '–'],
      ['Support', partner.supportEmail ?? '–'],
      ['Country', countryOf(partner)],
      ['LIVE funds', money(funding.balanceCents, currency)],
      ['Minimum funding', money(funding.minimumCents, currency)],
    ]),
  );
}
