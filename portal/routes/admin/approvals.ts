import Joi from 'joi';
import type { FourEyes } from '../../../deeds/four-eyes.ts';
import type { Done } from '../../../deeds/undertaking.ts';
import {
  type ProposalStatus,
  proposalStatusAt,
  proposalStatuses,
  refusalOf,
} from '../../../domain/four-eyes.ts';
import { given, type PageQuery, page, pageParameters, searchText } from '../../../http/paging.ts';
import { namesOfActors } from '../../../models/actors.ts';
import {
  approveProposal,
  findProposal,
  rejectProposal,
} from '../../../models/commands/decide-proposal.ts';
import { openProposal } from '../../../models/commands/propose.ts';
import type { ProposalDoc } from '../../../models/schemas/proposal.ts';
import { ofProposalStatus } from '../../../models/views/proposals.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed, doerOf, noteRead } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { reasonField } from '../../fields.ts';
import { emptyForm, type Filled } from '../../forms.ts';
import {
  badge,
  codeBlock,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
  wordsOf,
} from '../../html/components.ts';
import { choicesOf, filterBar } from '../../html/filters.ts';
import { checkbox, form, textArea } from '../../html/form.ts';
import { away, timeAway } from '../../html/format.ts';
import { type Html, html, nothing } from '../../html/html.ts';
import { adminPaths, toId, toIfOpen } from '../../html/links.ts';
import { pager } from '../../html/pager.ts';
import { proposalWords } from '../../html/proposal-words.ts';
import { view } from '../../html/view.ts';
import { queryOf } from '../../query.ts';
import { type Revealing, revealDone } from '../../reveal.ts';
import type { Routes } from '../../route-table.ts';

const querySchema = Joi.object<PageQuery & { status: ProposalStatus | 'ANY'; partner?: string }>({
  status: Joi.string()
    .valid('ANY', ...proposalStatuses)
    .default('PROPOSED'),
  partner: searchText,
  ...pageParameters,
});
const approvalSchema = Joi.object<{ isChecked: string }>({
  isChecked: Joi.string()
    .valid('on')
    .required()
    .messages({ 'any.required': 'Look at it first, and say so.' }),
});
const rejectionSchema = Joi.object<{ reason: string }>({ reason: reasonField.required() });

const crumbs = [['Approvals', '/admin/approvals']] as const;

/** What operators propose to each other, and decide. */
export function adminApprovalPages(routes: Routes, deps: PortalDeps, fourEyes: FourEyes): void {
  const { models, now } = deps;

  routes.page(
    { path: '/admin/approvals', audience: 'operator', permission: 'read' },
    async (ctx) => {
      const { status, partner, ...paging } = queryOf(ctx, querySchema);
      const { items, nextCursor } = await page(
        models.proposals,
        [
          ...(status === 'ANY' ? [] : [ofProposalStatus(status, new Date(now()))]),
          ...given({ partnerId: partner }),
        ],
        paging,
        (proposal: ProposalDoc) => proposal,
      );
      const [sentenceOf, nameOf] = await Promise.all([
        proposalWords(models, items),
        namesOfActors(
          models,
          items.map(({ proposedBy }) => proposedBy),
        ),
      ]);
      view(
        ctx,
        {
          title: 'Approvals',
          lead: 'What moves money or opens LIVE: one operator proposes it, another approves it within a day.',
        },
        filterBar(ctx, [
          {
            ...{ name: 'status', label: 'State' },
            choices: [
              { value: 'PROPOSED', text: 'Waiting' },
              ...choicesOf(['APPROVED', 'REJECTED', 'EXPIRED'], wordsOf).slice(1),
              { value: 'ANY', text: 'Any' },
            ],
          },
          { name: 'partner', label: 'Partner', placeholder: 'prt_…' },
        ]),
        html`<section class="card" id="list">${table({
          caption: 'Proposals',
          columns: [
            {
              heading: 'What it will do',
              cell: ({ _id }) => toIfOpen(ctx, 'PROPOSAL', _id, sentenceOf.get(_id)),
              isText: true,
            },
            {
              heading: 'Proposed by',
              cell: ({ proposedBy }) =>
                proposedBy === ctx.state.viewer.actorId
                  ? 'you'
                  : (nameOf.get(proposedBy) ?? proposedBy),
            },
            { heading: 'State', cell: (one) => badge(proposalStatusAt(one, now())) },
            {
              heading: 'Ends',
              cell: (one) => (isOpen(one, now()) ? away(one.expiresAt, now()) : '–'),
            },
          ],
          rows: items,
          empty: emptyState('Nothing here', 'What waits for a second operator shows here.'),
        })}${pager(ctx, nextCursor)}</section>`,
      );
    },
  );

  const ofProposal = {
    path: '/admin/approvals/:proposalId',
    params: { proposalId: 'proposal' },
    audience: 'operator',
    permission: 'proposal.decide',
  } as const;

  const deciderOf = ({ state: { viewer } }: PageContext<'operator'>) => ({
    adminId: viewer.actorId,
    role: viewer.role,
  });

  async function show(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const proposal = await findProposal(models, param(ctx, 'proposalId'));
    const { _id, partnerId } = proposal;
    await noteRead(deps, ctx, { action: 'proposal.read', partnerId, targetId: _id });
    const [sentences, asked] = await Promise.all([
      proposalWords(models, [proposal]),
      openProposal(deps, proposal),
    ]);
    view(
      ctx,
      {
        title: sentences.get(_id) ?? _id,
        crumbs,
        lead: badge(proposalStatusAt(proposal, now())),
      },
      isOpen(proposal, now()) ? answer(ctx, proposal, filled) : again(ctx, proposal, filled),
      await about(ctx, proposal),
      section(
        'Exactly',
        html`<p class="muted">The checked arguments, as they will be carried out.</p>`,
        asked === null
          ? html`<p>The customer was erased, and with it what was proposed.</p>`
          : codeBlock(JSON.stringify(asked, null, 2), 'Arguments'),
      ),
    );
  }

  function answer(ctx: PageContext<'operator'>, proposal: ProposalDoc, filled: Filled): Html {
    const path = adminPaths.PROPOSAL + proposal._id;
    const decider = deciderOf(ctx);
    const refusal = refusalOf(proposal, 'APPROVED', decider, now());
    const mayReject = refusalOf(proposal, 'REJECTED', decider, now()) === undefined;
    const isOwn = proposal.proposedBy === decider.adminId;
    return section(
      'Your answer',
      refusal ? notice('info', refusal.message) : nothing,
      refusal
        ? nothing
        : form(
            ctx,
            { action: `${path}/approve`, submit: 'Approve, and do it', filled },
            checkbox({
              ...{ name: 'isChecked', filled, isRequired: true },
              label: 'I have checked it against what it rests on.',
            }),
          ),
      mayReject
        ? html`<p class="after">${linkButton(`${path}/reject`, isOwn ? 'Take it back' : 'Reject', 'secondary')}</p>`
        : nothing,
    );
  }

  /** What was approved may have died midway: who approved it does it again. */
  function again(ctx: PageContext<'operator'>, proposal: ProposalDoc, filled: Filled): Html {
    const { _id, status, carriedOutAt, decidedBy, expiresAt } = proposal;
    const isLeft = status === 'APPROVED' && carriedOutAt === null;
    if (!isLeft || decidedBy !== ctx.state.viewer.actorId || expiresAt.getTime() <= now()) {
      return isLeft
        ? notice('warn', 'It was approved, and is not done. Who approved it can do so again.')
        : nothing;
    }
    return section(
      'It is not done',
      html`<p>You approved it, and what it does was not completed. Approving again does it once.</p>`,
      form(
        ctx,
        { action: `${adminPaths.PROPOSAL}${_id}/approve`, submit: 'Do it again', filled },
        checkbox({ name: 'isChecked', label: 'I know that it is not done.', isRequired: true }),
      ),
    );
  }

  async function about(ctx: PageContext<'operator'>, proposal: ProposalDoc): Promise<Html> {
    const { action, partnerId, targetId, proposedBy, decidedBy, decidedAt, reason } = proposal;
    const nameOf = await namesOfActors(models, [proposedBy, decidedBy]);
    const who = (id: string) => nameOf.get(id) ?? id;
    return section(
      'Proposal',
      facts([
        ['Proposed by', who(proposedBy)],
        ['When', timeAway(proposal.proposedAt, now())],
        ['Can be approved until', timeAway(proposal.expiresAt, now())],
        ['Partner', toId(ctx, partnerId)],
        ['About', toId(ctx, targetId)],
        ['Deed', html`<code>${action}</code>`],
        ...(decidedBy && decidedAt
          ? [
              ['Decided by', who(decidedBy)] as const,
              ['Decided', timeAway(decidedAt, now())] as const,
            ]
          : []),
        ...(reason === null ? [] : [['Because', reason] as const]),
        ...(proposal.carriedOutAt
          ? [['Done', timeAway(proposal.carriedOutAt, now())] as const]
          : []),
      ]),
    );
  }

  routes.page(ofProposal, (ctx) => show(ctx));

  routes.action(
    { ...ofProposal, path: `${ofProposal.path}/approve`, secondFactor: true },
    {
      schema: approvalSchema,
      async act(ctx) {
        const approved = await approveProposal(deps, param(ctx, 'proposalId'), deciderOf(ctx));
        const { done } = await fourEyes.carryOutProposal(approved, doerOf(ctx));
        if (isRevealing(done)) return await revealDone(deps, ctx, done);
        redirect(ctx, adminPaths.PROPOSAL + approved._id, 'It is approved, and done.');
      },
      retry: show,
    },
  );

  const rejecting = { ...ofProposal, path: `${ofProposal.path}/reject`, secondFactor: true };

  async function showReject(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const proposal = await findProposal(models, param(ctx, 'proposalId'));
    const sentences = await proposalWords(models, [proposal]);
    const sentence = sentences.get(proposal._id) ?? proposal._id;
    const isOwn = proposal.proposedBy === ctx.state.viewer.actorId;
    view(
      ctx,
      {
        title: isOwn ? 'Take it back' : 'Reject',
        crumbs: [...crumbs, ['Proposal', adminPaths.PROPOSAL + proposal._id]],
        lead: sentence,
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: ctx.path, submit: isOwn ? 'Take it back' : 'Reject', filled, isDangerous: true },
        textArea({
          ...{ name: 'reason', label: 'Why', filled, isRequired: true, maxLength: 500, rows: 4 },
          hint: 'Other operators read it. Name no customer.',
        }),
      )}</div>`,
    );
  }

  routes.page(rejecting, (ctx) => showReject(ctx));
  routes.action(rejecting, {
    schema: rejectionSchema,
    async act(ctx, { reason }) {
      const { _id: targetId, partnerId } = await findProposal(models, param(ctx, 'proposalId'));
      await deed(deps, ctx, { action: 'proposal.reject', partnerId, targetId }, () =>
        rejectProposal(deps, targetId, deciderOf(ctx), reason),
      );
      redirect(ctx, '/admin/approvals', 'It is rejected: nothing happens.');
    },
    retry: showReject,
  });
}

const isOpen = (proposal: ProposalDoc, nowMs: number): boolean =>
  proposalStatusAt(proposal, nowMs) === 'PROPOSED';

function isRevealing(done: Done | null): done is Revealing {
  return done !== null && ('secret' in done.outcome || 'token' in done.outcome);
}
