import { proposalStatusAt, refusalOf } from '../../../../domain/approvals.ts';
import type { ProposalDoc } from '../../../../models/schemas/proposal.ts';
import type { ProposalDetails, Proposals } from '../../../../models/views/approvals.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { proposalSentence } from '../../../words/proposal-words.ts';
import { say } from '../../../words/say.ts';
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
} from '../../components.ts';
import { deciderOf } from '../../decider.ts';
import { choicesOf, filterBar } from '../../filters.ts';
import { checkbox, form, textArea } from '../../form.ts';
import { away, timeAway } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { operatorPaths, toId, toIfOpen } from '../../links.ts';
import { pager } from '../../pager.ts';
import { partnerFilter, partnerFilterNote } from '../../partner-filter.ts';
import { type Page, page } from '../../view.ts';

const crumbs = () => [[say('admin.approvals.approvals'), '/admin/approvals']] as const;

interface ProposalPageOptions {
  filled: Filled;
  nowMs: number;
}

export function approvalsPage(
  ctx: PageContext<'operator'>,
  { items, nextCursor, names, nameOf }: Proposals,
  { takesTwo, nowMs }: { takesTwo: boolean; nowMs: number },
): Page {
  return page(
    {
      title: say('admin.approvals.title'),
      lead: takesTwo ? say('admin.approvals.lead') : say('admin.approvals.lead.off'),
    },
    filterBar(ctx, [
      {
        name: 'status',
        label: say('common.state'),
        choices: [
          { value: 'PROPOSED', text: say('admin.approvals.choice.proposed') },
          ...choicesOf(['APPROVED', 'REJECTED', 'EXPIRED'], wordsOf).slice(1),
          { value: 'ANY', text: say('admin.approvals.choice.any') },
        ],
      },
      partnerFilter(ctx),
    ]),
    html`<section class="card" id="list">${partnerFilterNote(ctx)}${table({
      caption: say('admin.approvals.caption'),
      columns: [
        {
          heading: say('admin.approvals.effect'),
          cell: (one) => toIfOpen(ctx, 'PROPOSAL', one._id, proposalSentence(one, names)),
          isText: true,
        },
        {
          heading: say('admin.approvals.proposedBy'),
          cell: ({ proposedBy }) =>
            proposedBy === ctx.state.viewer.actorId
              ? say('admin.approvals.you')
              : (nameOf.get(proposedBy) ?? proposedBy),
        },
        { heading: say('common.state'), cell: (one) => badge(proposalStatusAt(one, nowMs)) },
        {
          heading: say('common.ends'),
          cell: (one) => (isOpen(one, nowMs) ? away(one.expiresAt, nowMs) : '–'),
        },
      ],
      rows: items,
      empty: emptyState(say('admin.approvals.empty.title'), say('admin.approvals.empty.text')),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

/** @param input the proposed input; null if the customer was erased */
export function proposalPage(
  ctx: PageContext<'operator'>,
  details: ProposalDetails,
  input: unknown,
  { filled, nowMs }: ProposalPageOptions,
): Page {
  const { proposal, names } = details;
  return page(
    {
      title: proposalSentence(proposal, names),
      crumbs: crumbs(),
      lead: badge(proposalStatusAt(proposal, nowMs)),
    },
    isOpen(proposal, nowMs)
      ? answer(ctx, proposal, { filled, nowMs })
      : unfinishedSection(ctx, proposal, { filled, nowMs }),
    about(ctx, details, nowMs),
    section(
      say('admin.approvals.section.exactly'),
      html`<p class="muted">${say('admin.approvals.proposal.exactlyDone')}</p>`,
      input === null
        ? html`<p>${say('admin.approvals.proposal.customerErased')}</p>`
        : codeBlock(JSON.stringify(input, null, 2), say('admin.approvals.arguments')),
    ),
    section(
      say('admin.approvals.section.approvalCovers'),
      html`<p class="muted">${say('admin.approvals.proposal.changedProposal')}</p>`,
      codeBlock(JSON.stringify(proposal.facts, null, 2), say('admin.approvals.facts')),
    ),
  );
}

export function rejectPage(
  ctx: PageContext<'operator'>,
  { proposal, names }: ProposalDetails,
  filled: Filled,
): Page {
  const sentence = proposalSentence(proposal, names);
  const isOwn = proposal.proposedBy === ctx.state.viewer.actorId;
  return page(
    {
      title: isOwn
        ? say('admin.approvals.reject.title')
        : say('admin.approvals.reject.title.reject'),
      crumbs: [
        ...crumbs(),
        [say('admin.approvals.proposal'), operatorPaths.PROPOSAL + proposal._id],
      ],
      lead: sentence,
    },
    html`<div class="card narrow">${form(
      ctx,
      {
        action: ctx.path,
        submit: isOwn
          ? say('admin.approvals.reject.submit')
          : say('admin.approvals.reject.submit.reject'),
        filled,
        isDangerous: true,
      },
      textArea({
        name: 'reason',
        label: say('admin.approvals.reason'),
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 4,
        hint: say('admin.approvals.reason.hint'),
      }),
    )}</div>`,
  );
}

function answer(
  ctx: PageContext<'operator'>,
  proposal: ProposalDoc,
  { filled, nowMs }: ProposalPageOptions,
): Html {
  const path = operatorPaths.PROPOSAL + proposal._id;
  const decider = deciderOf(ctx);
  const refusal = refusalOf(proposal, 'APPROVED', decider, nowMs);
  const mayReject = refusalOf(proposal, 'REJECTED', decider, nowMs) === undefined;
  const isOwn = proposal.proposedBy === decider.operatorId;
  return section(
    say('admin.approvals.section.yourAnswer'),
    refusal ? notice('info', refusal.message) : nothing,
    refusal
      ? nothing
      : form(
          ctx,
          { action: `${path}/approve`, submit: say('admin.approvals.answer.submit'), filled },
          checkbox({
            name: 'isChecked',
            filled,
            isRequired: true,
            label: say('admin.approvals.isChecked'),
          }),
        ),
    mayReject
      ? html`<p class="after">${linkButton(`${path}/reject`, isOwn ? say('admin.approvals.withdraw') : say('admin.approvals.reject'), 'secondary')}</p>`
      : nothing,
  );
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
    return isLeft ? notice('warn', say('admin.approvals.unfinished.notice')) : nothing;
  }
  return section(
    say('admin.approvals.section.done'),
    html`<p>${say('admin.approvals.unfinished.text')}</p>`,
    form(
      ctx,
      {
        action: `${operatorPaths.PROPOSAL}${_id}/approve`,
        submit: say('admin.approvals.unfinished.submit'),
        filled,
      },
      checkbox({
        name: 'isChecked',
        label: say('admin.approvals.unfinished.isChecked'),
        isRequired: true,
      }),
    ),
  );
}

function about(
  ctx: PageContext<'operator'>,
  { proposal, nameOf }: ProposalDetails,
  nowMs: number,
): Html {
  const { action, partnerId, targetId, proposedBy, decidedBy, decidedAt, reason } = proposal;
  const who = (id: string) => nameOf.get(id) ?? id;
  return section(
    say('admin.approvals.section.proposal'),
    facts([
      [say('admin.approvals.proposedBy'), who(proposedBy)],
      [say('common.when'), timeAway(proposal.proposedAt, nowMs)],
      [say('admin.approvals.approvedUntil'), timeAway(proposal.expiresAt, nowMs)],
      [say('common.partner'), toId(ctx, partnerId)],
      [say('admin.approvals.about'), toId(ctx, targetId)],
      [say('admin.approvals.action'), html`<code>${action}</code>`],
      ...(decidedBy && decidedAt
        ? [
            [say('admin.approvals.decidedBy'), who(decidedBy)] as const,
            [say('common.decided'), timeAway(decidedAt, nowMs)] as const,
          ]
        : []),
      ...(reason === null ? [] : [[say('admin.approvals.decision.reason'), reason] as const]),
      ...(proposal.carriedOutAt
        ? [[say('admin.approvals.about.done'), timeAway(proposal.carriedOutAt, nowMs)] as const]
        : []),
    ]),
  );
}

const isOpen = (proposal: ProposalDoc, nowMs: number): boolean =>
  proposalStatusAt(proposal, nowMs) === 'PROPOSED';
