import type { ChecklistItem, Requirement } from '../../../../domain/go-live.ts';
import type { Permission } from '../../../../domain/operator-roles.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { GoLiveRequest } from '../../../../models/views/go-live.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { countryName } from '../../../words/country-words.ts';
import { type PlainKey, say } from '../../../words/say.ts';
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
import { crumbsOfPartner, operatorPaths, toId } from '../../links.ts';
import { missingWords } from '../../missing-list.ts';
import { type Page, page } from '../../view.ts';

const requirementWords: Readonly<Record<Requirement, PlainKey>> = {
  PROFILE: 'admin.goLive.requirement.profile',
  EARNING_RULE: 'admin.goLive.requirement.earningRule',
  FUNDING: 'admin.goLive.requirement.funding',
  INTEGRATION: 'admin.goLive.requirement.integration',
  TEST_PURCHASE: 'admin.goLive.requirement.testPurchase',
  TEST_REFUND: 'admin.goLive.requirement.testRefund',
  APPROVAL: 'admin.goLive.requirement.approval',
};

/** @param needsApproval whether the decision needs a second operator */
export function goLiveRequestPage(
  ctx: PageContext<'operator'>,
  request: GoLiveRequest,
  { needsApproval, nowMs }: { needsApproval: boolean; nowMs: number },
): Page {
  const { partner, facts: known, checklist } = request;
  const { isReady } = checklist;
  const { state } = partner.goLive;
  const may = (permission: Permission) => hasPermission(ctx.state.viewer, permission);
  const canRequest = state !== 'IN_REVIEW' && state !== 'LIVE' && isReady;
  return page(
    {
      title: say('admin.goLive.request.title'),
      crumbs: crumbsOfPartner(partner),
      lead: badge(state),
    },
    requestSection(request, nowMs),
    state === 'IN_REVIEW' && may('partner.approve-go-live')
      ? decisionSection(ctx, partner, { isReady, needsApproval })
      : nothing,
    checklistSection(ctx, request),
    profile(partner, known.funding),
    canRequest && may('partner.request-go-live') ? requestForm(ctx, partner) : nothing,
  );
}

const pathOf = ({ _id }: PartnerDoc): string => `${operatorPaths.PARTNER}${_id}/go-live`;

function decisionSection(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  { isReady, needsApproval }: { isReady: boolean; needsApproval: boolean },
): Html {
  const path = pathOf(partner);
  return section(
    say('admin.goLive.section.yourAnswer'),
    isReady ? nothing : notice('warn', say('admin.goLive.request.notice')),
    needsApproval ? approvalNotice() : nothing,
    html`<div class="answers">${[
      isReady
        ? confirm(ctx, {
            ask: say('admin.goLive.request.ask'),
            action: `${path}/approve`,
            submit: say('admin.goLive.request.submit'),
            isDangerous: false,
            question: say('admin.goLive.request.question', { name: partner.name }),
          })
        : nothing,
      linkButton(`${path}/return`, say('admin.goLive.request.sendBack'), 'secondary'),
    ]}</div>`,
  );
}

function checklistSection(
  ctx: PageContext<'operator'>,
  { partner, facts: { funding }, checklist: { items, isReady } }: GoLiveRequest,
): Html {
  return section(
    say('admin.goLive.section.checklist'),
    table({
      caption: say('admin.goLive.request.caption'),
      columns: [
        {
          heading: say('admin.goLive.condition'),
          cell: ({ requirement }: ChecklistItem) => say(requirementWords[requirement]),
        },
        {
          heading: '',
          cell: ({ isMet }) =>
            isMet
              ? badge('DONE', say('admin.goLive.met'))
              : badge('FAILED', say('admin.goLive.missing')),
        },
        {
          heading: say('admin.goLive.evidence'),
          cell: (item) =>
            item.isMet
              ? html`<span class="ids">${item.evidence.map((id) => toId(ctx, id))}</span>`
              : missingWords(item, partner, { funding, isReady }),
          isText: true,
        },
      ],
      rows: items,
      empty: nothing,
    }),
  );
}

function requestForm(ctx: PageContext<'operator'>, partner: PartnerDoc): Html {
  return section(
    say('admin.goLive.section.request'),
    html`<p>${say('admin.goLive.request.onlyRequest')}</p>`,
    form(ctx, {
      action: `${pathOf(partner)}/request`,
      submit: say('admin.goLive.request.submit.requestPartner'),
    }),
  );
}

function requestSection({ partner, nameOf }: GoLiveRequest, nowMs: number): Html {
  const { requestedAt, reviewerId, decidedAt, reason } = partner.goLive;
  if (requestedAt === null) return nothing;
  return section(
    say('admin.goLive.section.request'),
    facts([
      [say('admin.goLive.requested'), timeAway(requestedAt, nowMs)],
      ...(decidedAt
        ? [
            [say('common.decided'), timeAway(decidedAt, nowMs)] as const,
            [say('admin.goLive.by'), nameOf.get(reviewerId ?? '') ?? reviewerId ?? '–'] as const,
          ]
        : []),
      ...(reason === null ? [] : [[say('admin.goLive.notesPartner'), reason] as const]),
    ]),
  );
}

export function returnGoLivePage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  filled: Filled,
): Page {
  const path = pathOf(partner);
  return page(
    {
      title: say('admin.goLive.returnGoLive.title'),
      crumbs: [...crumbsOfPartner(partner), [say('common.goLive'), path]],
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/return`, submit: say('admin.goLive.returnGoLive.submit'), filled },
      textArea({
        name: 'reason',
        label: say('admin.goLive.reason'),
        filled,
        isRequired: true,
        maxLength: 500,
        hint: say('admin.goLive.reason.hint'),
      }),
    )}</div>`,
  );
}

/** The partner's details, against which a reviewer checks the rest. */
function profile(
  partner: PartnerDoc,
  funding: { balanceCents: number; minimumCents: number },
): Html {
  const { currency } = partner;
  return section(
    say('admin.goLive.section.whoAsks'),
    facts([
      [say('common.name'), partner.name],
      [say('admin.goLive.legalName'), partner.legalName ?? '–'],
      [say('admin.goLive.website'), partner.website === null ? '–' : externalLink(partner.website)],
      [say('admin.goLive.contact'), partner.contactEmail ?? '–'],
      [say('common.support'), partner.supportEmail ?? '–'],
      [say('common.country'), countryName(partner.country)],
      [say('admin.goLive.liveFunds'), money(funding.balanceCents, currency)],
      [say('admin.goLive.minimumFunding'), money(funding.minimumCents, currency)],
    ]),
  );
}
