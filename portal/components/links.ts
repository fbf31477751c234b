import type { Config } from '../../platform/config.ts';
import { temporalUrl } from '../../temporal/workflows.ts';
import type { SearchResultKind } from '../../views/search.ts';
import type { PageContext } from '../context.ts';
import { code, externalLink } from './components.ts';
import { type Html, html, nothing } from './format.ts';

/** The operators' pages about single things, by kind; a test checks that each exists. */
export const operatorPaths = {
  PARTNER: '/admin/partners/',
  EVENT: '/admin/events/',
  REQUEST: '/admin/requests/',
  REWARD: '/admin/rewards/',
  REDEMPTION: '/admin/redemptions/',
  REVIEW: '/admin/reviews/',
  CUSTOMER: '/admin/customers/',
  TRANSACTION: '/admin/ledger/',
  CREDENTIAL: '/admin/credentials/',
  RULE: '/admin/rules/',
  INTEGRATION: '/admin/integrations/',
  PROPOSAL: '/admin/approvals/',
  OPERATOR: '/admin/operators/',
  PLAN: '/admin/plans/',
  AUDIT_ENTRY: '/admin/audit/',
  AUDIT_RUN: '/admin/audit-runs/',
} as const satisfies Partial<Record<SearchResultKind, string>> & Record<string, string>;

export type OperatorSubject = keyof typeof operatorPaths;

/** A link to the operators' page about a thing. @param text its name, if it has one */
export function to(subject: OperatorSubject, id: string, text = id): Html {
  return html`<a href="${operatorPaths[subject]}${id}">${text === id ? html`<code>${id}</code>` : text}</a>`;
}

/** Like `to`, but plain text if the viewer may not open the page. */
export function toIfOpen(
  { state }: Pick<PageContext, 'state'>,
  subject: OperatorSubject,
  id: string,
  text = id,
): Html {
  return state.mayOpen(operatorPaths[subject] + id) ? to(subject, id, text) : html`${text}`;
}

/** Like `to`, for an optional thing. */
export function toOptional(subject: OperatorSubject, id: string | null): Html {
  return id === null ? html`<span class="muted">–</span>` : to(subject, id);
}

const subjectOfPrefix: Record<string, OperatorSubject> = {
  prt_: 'PARTNER',
  evt_: 'EVENT',
  PNR_: 'REWARD',
  red_: 'REDEMPTION',
  rev_: 'REVIEW',
  cus_: 'CUSTOMER',
  txn_: 'TRANSACTION',
  key_: 'CREDENTIAL',
  rul_: 'RULE',
  int_: 'INTEGRATION',
  prp_: 'PROPOSAL',
  opr_: 'OPERATOR',
  pln_: 'PLAN',
};

/**
 * The name of a thing of any kind, as `nameIds` read it, or its id; linked if it has a page that the viewer
 * may open.
 */
export function toId(ctx: Pick<PageContext, 'state'>, id: string | null): Html {
  if (id === null) return toOptional('PARTNER', null);
  const subject = subjectOfPrefix[id.slice(0, 4)];
  const text = ctx.state.nameOf?.get(id) ?? id;
  return subject ? toIfOpen(ctx, subject, id, text) : html`${text}`;
}

/** A link to a workflow's history in the Temporal UI. */
export function workflowLink(config: Pick<Config, 'temporal'>, workflowId: string | null): Html {
  if (workflowId === null) return nothing;
  return externalLink(temporalUrl(config, workflowId), 'Open in Temporal');
}

/** Breadcrumbs of a partner's page. */
export const crumbsOfPartner = ({ _id, name }: { _id: string; name: string }) =>
  [
    ['Partners', '/admin/partners'],
    [name, operatorPaths.PARTNER + _id],
  ] as const;

/** The partner's pages for ids, by prefix. */
const pages: Record<string, string> = {
  int: '/integrations/',
  key: '/keys/',
  rul: '/rules/',
  evt: '/events/',
  PNR: '/orders/',
  red: '/redemptions/',
  inv: '/invoices/',
  txn: '/funding#',
  whe: '/webhooks/',
  whd: '/webhooks/deliveries/',
};

/** An id, linked to its page if there is one. @param text its name, shown instead */
export function idLink(id: string, text?: string): Html {
  const page = pages[id.slice(0, id.indexOf('_'))];
  const shown = text === undefined ? code(id) : html`${text}`;
  return page === undefined ? shown : html`<a href="${page}${id}">${shown}</a>`;
}

/** A link by the name of what an id stands for, and the id; the id alone if it has no name. */
export const namedIdLink = (id: string, name: string | undefined): Html =>
  name === undefined ? idLink(id) : html`${idLink(id, name)} ${code(id, { canCopy: true })}`;

/** The viewing operator as a potential approver of a proposal. */
export const deciderOf = ({ state: { viewer } }: PageContext<'operator'>) => ({
  operatorId: viewer.actorId,
  role: viewer.role,
});
