import type { ChecklistItem, Requirement } from '../../../../domain/go-live.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { GoLiveRequest } from '../../../../models/views/go-live.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { countryName } from '../../../words/country-words.ts';
import { approvalNotice } from '../../approval-notice.ts';
import {
  badge,
  externalLink,
  facts,
  linkButton,
  notice,
  section,
  table,
} from '../../components.ts';
import { confirm, form, textArea } from '../../form.ts';
import { money, timeAway } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { adminPaths, crumbsOfPartner, toId } from '../../links.ts';
import { type Page, page } from '../../view.ts';

const requirementWords: Record<Requirement, string> = {
  PROFILE: 'The profile is complete',
  EARNING_RULE: 'A LIVE earning rule is active',
  FUNDING: 'LIVE funding is in place',
  INTEGRATION: 'An integration exists',
  TEST_PURCHASE: 'A TEST purchase was sent',
  TEST_REFUND: 'Its refund was sent',
  APPROVAL: 'An operator approved',
};

/** @param needsApproval whether an approval takes a second operator */
export function goLiveRequestPage(
  ctx: PageContext<'operator'>,
  request: GoLiveRequest,
  { needsApproval, nowMs }: { needsApproval: boolean; nowMs: number },
): Page {
  const { partner, facts: known, checklist } = request;
  const { items, isReady } = checklist;
  const { viewer } = ctx.state;
  const path = `${adminPaths.PARTNER}${partner._id}/go-live`;
  const isInReview = partner.goLive.state === 'IN_REVIEW';
  return page(
    { title: 'Go-live', crumbs: crumbsOfPartner(partner), lead: badge(partner.goLive.state) },
    requestSection(request, nowMs),
    isInReview && hasPermission(viewer, 'partner.approve-go-live')
      ? section(
          'Your answer',
          isReady
            ? nothing
            : notice('warn', 'Something is still missing, so it cannot be approved yet.'),
          needsApproval ? approvalNotice : nothing,
          html`<div class="answers">${[
            isReady
              ? confirm(ctx, {
                  ...{ ask: 'Approve …', action: `${path}/approve`, submit: 'Approve' },
                  isDangerous: false,
                  question: `${partner.name} gets LIVE keys, and its purchases give real rewards. Nothing leads back: a live partner can only be suspended.`,
                })
              : nothing,
            linkButton(`${path}/return`, 'Send back with notes', 'secondary'),
          ]}</div>`,
        )
      : nothing,
    section(
      'Checklist',
      table({
        caption: 'What a partner needs before it is live',
        columns: [
          {
            heading: 'Condition',
            cell: ({ requirement }: ChecklistItem) => requirementWords[requirement],
          },
          {
            heading: '',
            cell: ({ isMet }) => (isMet ? badge('DONE', 'Met') : badge('FAILED', 'Missing')),
          },
          {
            heading: 'Evidence',
            cell: ({ evidence, missing }) =>
              missing ?? html`<span class="ids">${evidence.map((id) => toId(ctx, id))}</span>`,
            isText: true,
          },
        ],
        rows: items,
        empty: nothing,
      }),
    ),
    profile(partner, known.funding),
    !isInReview &&
      isReady &&
      partner.goLive.state !== 'LIVE' &&
      hasPermission(viewer, 'partner.request-go-live')
      ? section(
          'Request',
          html`<p>Only the request is missing. The partner makes it, or you can on its behalf.</p>`,
          form(ctx, { action: `${path}/request`, submit: 'Request for the partner' }),
        )
      : nothing,
  );
}

function requestSection({ partner, nameOf }: GoLiveRequest, nowMs: number): Html {
  const { requestedAt, reviewerId, decidedAt, reason } = partner.goLive;
  if (requestedAt === null) return nothing;
  return section(
    'Request',
    facts([
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

export function returnGoLivePage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  filled: Filled,
): Page {
  const path = `${adminPaths.PARTNER}${partner._id}/go-live`;
  return page(
    { title: 'Send back', crumbs: [...crumbsOfPartner(partner), ['Go-live', path]] },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/return`, submit: 'Send back', filled },
      textArea({
        ...{ name: 'reason', label: 'What needs to change', filled, isRequired: true },
        ...{ maxLength: 500, hint: 'The partner sees this text as you write it.' },
      }),
    )}</div>`,
  );
}

/** What a reviewer holds the rest against. */
function profile(
  partner: PartnerDoc,
  funding: { balanceCents: number; minimumCents: number },
): Html {
  const { currency } = partner;
  return section(
    'Who asks',
    facts([
      ['Name', partner.name],
      ['Legal name', partner.legalName ?? '–'],
      ['Website', partner.website === null ? '–' : externalLink(partner.website)],
      ['Contact', partner.contactEmail ?? '–'],
      ['Support', partner.supportEmail ?? '–'],
      ['Country', countryName(partner.country)],
      ['LIVE funds', money(funding.balanceCents, currency)],
      ['Asked of it', money(funding.minimumCents, currency)],
    ]),
  );
}
