import Joi from 'joi';
import type { FourEyes } from '../../../deeds/four-eyes.ts';
import { needsTwo } from '../../../domain/four-eyes.ts';
import { type ChecklistLine, goLiveChecklist, type Requirement } from '../../../domain/go-live.ts';
import { namesOfActors } from '../../../models/actors.ts';
import { findPartner } from '../../../models/commands/find.ts';
import { requestGoLive } from '../../../models/commands/request-go-live.ts';
import { returnGoLive } from '../../../models/commands/return-go-live.ts';
import { gatherGoLiveFacts } from '../../../models/go-live-facts.ts';
import type { PartnerDoc } from '../../../models/schemas/partner.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { reasonField } from '../../fields.ts';
import { emptyForm, type Filled } from '../../forms.ts';
import {
  badge,
  externalLink,
  facts,
  linkButton,
  notice,
  section,
  table,
} from '../../html/components.ts';
import { confirm, form, textArea } from '../../html/form.ts';
import { money, timeAway } from '../../html/format.ts';
import { type Html, html, nothing } from '../../html/html.ts';
import { adminPaths, crumbsOfPartner, toId } from '../../html/links.ts';
import { twoNotice } from '../../html/two-notice.ts';
import { view } from '../../html/view.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import type { Routes } from '../../route-table.ts';
import { undertake } from '../../undertake.ts';

const returnSchema = Joi.object<{ reason: string }>({ reason: reasonField.required() });

const requirementWords: Record<Requirement, string> = {
  PROFILE: 'The profile is complete',
  EARNING_RULE: 'A LIVE earning rule is active',
  FUNDING: 'LIVE funds are there',
  INTEGRATION: 'An integration is there',
  TEST_PURCHASE: 'A TEST purchase was sent',
  TEST_REFUND: 'Its refund was sent',
  APPROVAL: 'An operator approved',
};

/** A partner's way to LIVE: what proves each condition, and the reviewer's answer. */
export function adminGoLivePages(routes: Routes, deps: PortalDeps, fourEyes: FourEyes): void {
  const { models, config, now } = deps;
  const ofPartner = {
    path: '/admin/partners/:partnerId/go-live',
    params: { partnerId: 'partner' },
    audience: 'operator',
  } as const;

  routes.page({ ...ofPartner, permission: 'read' }, async (ctx) => {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    const facts = await gatherGoLiveFacts(deps, partner);
    const { lines, isReady } = goLiveChecklist(facts);
    const { viewer } = ctx.state;
    const path = `${adminPaths.PARTNER}${partner._id}/go-live`;
    const isInReview = partner.goLive.state === 'IN_REVIEW';
    view(
      ctx,
      { title: 'Go-live', crumbs: crumbsOfPartner(partner), lead: badge(partner.goLive.state) },
      await request(partner),
      section(
        'Checklist',
        table({
          caption: 'What a partner needs before it is live',
          columns: [
            {
              heading: 'Condition',
              cell: ({ requirement }: ChecklistLine) => requirementWords[requirement],
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
          rows: lines,
          empty: nothing,
        }),
      ),
      profile(partner, facts.funding),
      isInReview && hasPermission(viewer, 'partner.approve-go-live')
        ? section(
            'Your answer',
            isReady ? nothing : notice('warn', 'Something is missing: it cannot be approved now.'),
            needsTwo(config.fourEyes, { action: 'partner.approve-go-live' }) ? twoNotice : nothing,
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
      !isInReview &&
        isReady &&
        partner.goLive.state !== 'LIVE' &&
        hasPermission(viewer, 'partner.request-go-live')
        ? section(
            'Request',
            html`<p>Everything is there but the request. The partner makes it, or you in its name.</p>`,
            form(ctx, { action: `${path}/request`, submit: 'Request for the partner' }),
          )
        : nothing,
    );
  });

  async function request({ goLive }: PartnerDoc): Promise<Html> {
    const { requestedAt, reviewerId, decidedAt, reason } = goLive;
    if (requestedAt === null) return nothing;
    const nameOf = await namesOfActors(models, [reviewerId]);
    return section(
      'Request',
      facts([
        ['Requested', timeAway(requestedAt, now())],
        ...(decidedAt
          ? [
              ['Decided', timeAway(decidedAt, now())] as const,
              ['By', nameOf.get(reviewerId ?? '') ?? reviewerId ?? '–'] as const,
            ]
          : []),
        ...(reason === null ? [] : [['Notes for the partner', reason] as const]),
      ]),
    );
  }

  routes.action(
    {
      ...ofPartner,
      path: `${ofPartner.path}/approve`,
      permission: 'partner.approve-go-live',
      secondFactor: true,
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
        await undertake(fourEyes, ctx, 'partner.approve-go-live', { partnerId }, ({ name }) =>
          redirect(ctx, adminPaths.PARTNER + partnerId, `${name} is live.`),
        );
      },
    },
  );

  const returning = {
    ...ofPartner,
    path: `${ofPartner.path}/return`,
    permission: 'partner.return-go-live',
  } as const;

  async function showReturn(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    const path = `${adminPaths.PARTNER}${partner._id}/go-live`;
    view(
      ctx,
      { title: 'Send back', crumbs: [...crumbsOfPartner(partner), ['Go-live', path]] },
      html`<div class="card narrow">${form(
        ctx,
        { action: `${path}/return`, submit: 'Send back', filled },
        textArea({
          ...{ name: 'reason', label: 'What is to be changed', filled, isRequired: true },
          ...{ maxLength: 500, hint: 'The partner reads it as it stands here.' },
        }),
      )}</div>`,
    );
  }

  routes.page(returning, (ctx) => showReturn(ctx));
  routes.action(returning, {
    schema: returnSchema,
    async act(ctx, { reason }) {
      const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
      const { actorId: reviewerId } = ctx.state.viewer;
      await deed(
        deps,
        ctx,
        { action: 'partner.return-go-live', targetId: partnerId, partnerId, details: { reason } },
        () => returnGoLive(deps, partnerId, { reviewerId, reason }),
      );
      redirect(
        ctx,
        adminPaths.PARTNER + partnerId,
        'It is sent back; the partner sees your notes.',
      );
    },
    retry: showReturn,
  });

  routes.action(
    { ...ofPartner, path: `${ofPartner.path}/request`, permission: 'partner.request-go-live' },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
        await deed(
          deps,
          ctx,
          { action: 'partner.request-go-live', targetId: partnerId, partnerId },
          () => requestGoLive(deps, partnerId),
        );
        redirect(ctx, `${adminPaths.PARTNER}${partnerId}/go-live`, 'It is requested.');
      },
    },
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
      ['Country', partner.country],
      ['LIVE funds', money(funding.balanceCents, currency)],
      ['Asked of it', money(funding.minimumCents, currency)],
    ]),
  );
}
