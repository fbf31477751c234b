import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { may, permittedRoles, proposalStatusAt, refusalOf } from '../../domain/operators.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { Approvers } from '../../models/identity/introductions.ts';
import type { ProposalDoc } from '../../models/schemas/audit.ts';
import { approve as approveProposal } from '../../operations/approve.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { execute } from '../../operations/execute.ts';
import { sensitiveOperationNamed } from '../../operations/index.ts';
import { rejectProposal } from '../../operations/proposals.ts';
import {
  openProposal,
  type ProposalDetails,
  type Proposals,
  readApprovers,
  readProposal,
  readProposals,
} from '../../views/approvals.ts';
import { readPartner } from '../../views/partners.ts';
import {
  badge,
  codeBlock,
  definitions,
  emptyState,
  notice,
  section,
  table,
} from '../components/components.ts';
import { form, textArea } from '../components/form.ts';
import { away, type Html, html, nothing, timeAway } from '../components/format.ts';
import { deciderOf, operatorPaths, toId, toIfOpen } from '../components/links.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { reasonField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { type Asked, asked, ofPartner, viewFilter } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { actorOf, whenDone } from '../operate.ts';
import { nameEvidence, nameIds } from '../routing/name-ids.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { proposalChanges, proposalSentence } from '../words/proposal-words.ts';

const path = '/admin/approvals/:proposalId';

const strongly = { operation: rejectProposal } as const;

/** Proposals that need a second operator. */
export function operatorApprovalPages(routes: RoutesOf<'operator'>): void {
  const schema = Joi.object({});
  routes.page('/admin/approvals', showProposals);
  routes.page(path, showProposal, { permission: 'proposal.decide' });
  routes.action(`${path}/approve`, { schema, act: approve, retry: showProposal }, strongly);
  routes.action(
    `${path}/propose-again`,
    { schema, act: proposeAgain, retry: showProposal },
    strongly,
  );
  routes.operation(`${path}/reject`, rejectProposal, {
    on: showProposal,
    form: Joi.object({ reason: reasonField.required() }),
    to: '/admin/approvals',
    said: 'Rejected. Nothing was changed.',
  });
}

async function showProposals(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, approvalFilters);
  const proposals = await readProposals(deps, list.filter, queryOf(ctx, pageSchema));
  render(ctx, approvalsPage(ctx, list, proposals, deps.config.approvals.isOn));
}

async function showProposal(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const details = await readProposal(deps, param(ctx, 'proposalId'));
  const { _id: targetId, partnerId } = details.proposal;
  await auditRead(deps, actorOf(ctx), { action: 'proposal.read', partnerId, targetId });
  const input = (await openProposal(deps, details.proposal)) as Record<string, unknown> | null;
  const evidence = evidenceIn(details.proposal);
  if (partnerId === null) await nameIds(ctx, deps, evidence);
  else await nameEvidence(ctx, deps, await readPartner(deps, partnerId), evidence);
  const { proposedBy } = details.proposal;
  const nowMs = deps.now();
  const isOwn = proposedBy === ctx.state.viewer.actorId;
  const isTold = isOwn && proposalStatusAt(details.proposal, nowMs) === 'PROPOSED';
  const approvers = isTold ? await readApprovers(deps, details.proposal) : 'SOMEBODY';
  render(ctx, proposalPage(ctx, details, input, { filled, nowMs, approvers }));
}

async function approve(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const proposalId = param(ctx, 'proposalId');
  const { done } = await approveProposal(deps, actorOf(ctx), proposalId);
  const isForOwner =
    typeof done?.outcome === 'object' && done.outcome !== null && 'secret' in done.outcome;
  const said = isForOwner
    ? 'Approved and carried out. An owner of the partner is shown the secret, once.'
    : 'Approved and carried out.';
  redirect(ctx, operatorPaths.PROPOSAL + proposalId, said);
}

/** Proposes the same input as a proposal that came to nothing. */
async function proposeAgain(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const { proposal } = await readProposal(deps, param(ctx, 'proposalId'));
  const input = await openProposal(deps, proposal);
  const status = proposalStatusAt(proposal, deps.now());
  if (input === null || (status !== 'FAILED' && status !== 'EXPIRED')) {
    throw new ServiceError(
      'CONFLICT',
      'Only what expired or could not be carried out is proposed again.',
    );
  }
  const operation = sensitiveOperationNamed(proposal.action);
  const executed = await execute(deps, operation, actorOf(ctx), input);
  await whenDone(ctx, executed, () =>
    redirect(
      ctx,
      operatorPaths.PROPOSAL + proposal._id,
      'Carried out. It needed no second operator.',
    ),
  );
}

const crumbs = () => [['Approvals', '/admin/approvals']] as const;

interface ProposalPageOptions {
  filled: Filled;
  nowMs: number;
  approvers: Approvers;
}

const approvalFilters = {
  status: viewFilter('State', {
    PROPOSED: 'Waiting',
    APPROVED: 'Approved',
    REJECTED: 'Rejected',
    FAILED: 'Could not be carried out',
    EXPIRED: 'Expired',
    ANY: 'Any',
  }),
  ...ofPartner,
};

/** @param takesTwo whether sensitive operations need a second operator */
const approvalsPage = (
  ctx: PageContext<'operator'>,
  asked: Asked,
  { items, nextCursor, names, nameOf }: Proposals,
  takesTwo: boolean,
): Page =>
  page(
    {
      title: 'Approvals',
      lead: takesTwo
        ? 'Changes that move money or open LIVE: one operator proposes, another approves within a day.'
        : 'Approvals are switched off: changes that move money or open LIVE are made at once.',
    },
    list(ctx, {
      asked,
      caption: 'Proposals',
      columns: {
        'What it will do': {
          text: (one) => toIfOpen(ctx, 'PROPOSAL', one._id, proposalSentence(one, names)),
        },
        'Proposed by': ({ proposedBy }) =>
          proposedBy === ctx.state.viewer.actorId ? 'you' : (nameOf.get(proposedBy) ?? proposedBy),
        State: (one) => stateBadge(one, asked.nowMs),
        Ends: (one) => (isOpen(one, asked.nowMs) ? away(one.expiresAt, asked.nowMs) : '–'),
      },
      rows: items,
      empty: emptyState('No proposals', 'Proposals that need a second operator appear here.'),
      nextCursor,
    }),
  );

/** @param input the proposed input; null if the customer was erased */
function proposalPage(
  ctx: PageContext<'operator'>,
  details: ProposalDetails,
  input: Readonly<Record<string, unknown>> | null,
  { filled, nowMs, approvers }: ProposalPageOptions,
): Page {
  const { proposal, names } = details;
  const changes = proposalChanges(details, input);
  return page(
    {
      title: proposalSentence(proposal, names),
      crumbs: crumbs(),
      lead: stateBadge(proposal, nowMs),
    },
    endedSection(ctx, proposal, { input, filled, nowMs, approvers }),
    section(
      isOpen(proposal, nowMs) ? 'What it will change' : 'What it was to change',
      table({
        caption: 'Changes',
        columns: {
          What: ({ what }) => what,
          Before: { text: ({ before }) => html`<span class="muted">${before || '–'}</span>` },
          After: { text: ({ after }) => html`<strong>${after}</strong>` },
        },
        rows: changes,
      }),
      evidenceOf(ctx, proposal),
    ),
    isOpen(proposal, nowMs)
      ? answer(ctx, proposal, { filled, nowMs, approvers })
      : unfinishedSection(ctx, proposal, { filled, nowMs, approvers }),
    about(details, nowMs),
    html`<details class="card"><summary>Technical</summary>
<p class="muted">Exactly what will be done as <code>${proposal.action}</code>, already validated:</p>
${
  input === null
    ? html`<p>The customer was erased, and the proposal’s details with them.</p>`
    : codeBlock(JSON.stringify(input, null, 2), 'Arguments')
}
<p class="muted">What the approval covers. If any of this changes before it is approved, the proposal ends:</p>
${codeBlock(JSON.stringify(proposal.shown, null, 2), 'What was shown')}</details>`,
  );
}

const stateBadge = (proposal: ProposalDoc, nowMs: number): Html => {
  const status = proposalStatusAt(proposal, nowMs);
  return status === 'FAILED' ? badge(status, 'Could not be carried out') : badge(status);
};

/** Why a proposal came to nothing, and the same proposal again. */
function endedSection(
  ctx: PageContext<'operator'>,
  proposal: ProposalDoc,
  { input, filled, nowMs }: ProposalPageOptions & { input: object | null },
): Html {
  const status = proposalStatusAt(proposal, nowMs);
  if (status !== 'FAILED' && status !== 'EXPIRED') return nothing;
  const why =
    status === 'FAILED'
      ? html`<strong>Could not be carried out.</strong> ${proposal.reason}`
      : html`<strong>Nobody approved it within a day.</strong> Nothing was changed.`;
  const again =
    input === null
      ? html`<p>The customer was erased, and the proposal’s details with them: it can’t be proposed again.</p>`
      : may(ctx.state.viewer.role, proposal.action)
        ? form(ctx, {
            action: `${operatorPaths.PROPOSAL}${proposal._id}/propose-again`,
            submit: 'Propose again',
            filled,
            isInline: true,
          })
        : html`<p class="muted">An operator with the role ${permittedRoles[proposal.action].join(' or ')} can propose it again.</p>`;
  return html`${notice('bad', why)}${again}`;
}

/** The ids of everything that a proposal names. */
function evidenceIn({
  partnerId,
  targetId,
  shown,
}: Pick<ProposalDoc, 'partnerId' | 'targetId' | 'shown'>): string[] {
  const named = ['transactionId', 'ruleId', 'activeRuleId', 'integrationId', 'rewardId'];
  const ids = [partnerId, targetId, ...named.map((name) => shown[name])];
  return [...new Set(ids.filter((id) => typeof id === 'string'))];
}

/** Links to everything that the proposal names. */
function evidenceOf(ctx: PageContext<'operator'>, proposal: ProposalDoc): Html {
  const { action, partnerId, shown } = proposal;
  const links = evidenceIn(proposal).map((id) => toId(ctx, id));
  if (action === 'partner.approve-go-live') {
    links.push(
      html`<a href="${operatorPaths.PARTNER}${partnerId}/go-live">The go-live request</a>`,
    );
  }
  if (typeof shown.invoiceId === 'string') {
    const path = `${operatorPaths.PARTNER}${partnerId}/invoices/${shown.invoiceId}`;
    links.push(html`<a href="${path}">${String(shown.number)}</a>`);
  }
  if (links.length === 0) return nothing;
  return html`<p class="after">Evidence: ${links.map((link, place) => html`${place === 0 ? nothing : ' · '}${link}`)}</p>`;
}

/** Why nobody can approve a proposal, and who can change that. */
const stuckWords = ({ action }: ProposalDoc, approvers: Exclude<Approvers, 'SOMEBODY'>): string =>
  `${
    approvers === 'NOBODY'
      ? `Nobody can approve it: no other operator has the role ${permittedRoles[action].join(' or ')}.`
      : 'Nobody can approve it yet: in the last 30 days, you let in everybody who could, or they you. A third operator can confirm the newer one, under Operators.'
  } Whoever runs the installation can create another admin, with create-admin on its server.`;

function answer(
  ctx: PageContext<'operator'>,
  proposal: ProposalDoc,
  { filled, nowMs, approvers }: ProposalPageOptions,
): Html {
  const path = operatorPaths.PROPOSAL + proposal._id;
  const decider = deciderOf(ctx);
  const refusal = refusalOf(proposal, 'APPROVED', decider, nowMs);
  const mayReject = refusalOf(proposal, 'REJECTED', decider, nowMs) === undefined;
  const isOwn = proposal.proposedBy === decider.operatorId;
  const verb = isOwn ? 'Withdraw' : 'Reject';
  return html`<div class="grid-2">${section(
    'Approve',
    refusal
      ? isOwn && approvers !== 'SOMEBODY'
        ? notice('warn', stuckWords(proposal, approvers))
        : notice('info', refusal.message)
      : form(ctx, { action: `${path}/approve`, submit: 'Approve and carry out', filled }),
  )}${
    mayReject
      ? section(
          verb,
          form(
            ctx,
            { action: `${path}/reject`, submit: verb, filled, isDangerous: true },
            textArea({
              name: 'reason',
              label: 'Reason',
              filled,
              isRequired: true,
              maxLength: 500,
              rows: 2,
              hint: 'Other operators read it. Name no customer.',
            }),
          ),
        )
      : nothing
  }</div>`;
}

/** An approved operation may have been interrupted; its approver can run it again. */
function unfinishedSection(
  ctx: PageContext<'operator'>,
  proposal: ProposalDoc,
  { filled, nowMs }: ProposalPageOptions,
): Html {
  const { _id, status, carriedOutAt, decidedBy, expiresAt } = proposal;
  const isLeft = status === 'APPROVED' && carriedOutAt === null;
  if (!isLeft || decidedBy !== ctx.state.viewer.actorId || expiresAt.getTime() <= nowMs) {
    return isLeft
      ? notice(
          'warn',
          'It was approved but not completed. The operator who approved it can approve it again.',
        )
      : nothing;
  }
  return section(
    'Not completed',
    html`<p>You approved it, but it was not completed. Approve it again: it is carried out only once.</p>`,
    form(ctx, {
      action: `${operatorPaths.PROPOSAL}${_id}/approve`,
      submit: 'Approve again',
      filled,
    }),
  );
}

function about({ proposal, nameOf }: ProposalDetails, nowMs: number): Html {
  const { proposedBy, decidedBy, decidedAt, reason } = proposal;
  const status = proposalStatusAt(proposal, nowMs);
  const ends = timeAway(proposal.expiresAt, nowMs);
  const who = (id: string) => nameOf.get(id) ?? id;
  return section(
    'Proposal',
    definitions([
      ['Proposed by', who(proposedBy)],
      ['When', timeAway(proposal.proposedAt, nowMs)],
      ...(status === 'PROPOSED' ? [['Expires', ends] as const] : []),
      ...(status === 'EXPIRED' ? [['Expired', ends] as const] : []),
      ...(decidedBy && decidedAt
        ? [
            ['Decided by', who(decidedBy)] as const,
            ['Decided', timeAway(decidedAt, nowMs)] as const,
          ]
        : []),
      ...(reason === null || proposal.status === 'FAILED' ? [] : [['Reason', reason] as const]),
      ...(proposal.carriedOutAt ? [['Done', timeAway(proposal.carriedOutAt, nowMs)] as const] : []),
    ]),
  );
}

const isOpen = (proposal: ProposalDoc, nowMs: number): boolean =>
  proposalStatusAt(proposal, nowMs) === 'PROPOSED';
