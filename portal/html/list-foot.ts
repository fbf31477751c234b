import { maxExportedRows } from '../../models/jobs/index.ts';
import type { PageContext } from '../context.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { say } from '../words/say.ts';
import { tags } from '../words/tags.ts';
import { csrfInput, hidden } from './form.ts';
import { numberText } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { pager } from './pager.ts';

/**
 * The foot of an operators' list: an export of everything its filters show, and older rows.
 * @param path the list's name in its address
 */
export function listFoot(
  ctx: PageContext<'operator'>,
  path: 'reviews' | 'rewards' | 'ledger' | 'audit',
  rows: readonly unknown[],
  nextCursor: string | null,
): Html {
  const pages = pager(ctx, nextCursor);
  if (rows.length === 0 || !hasPermission(ctx.state.viewer, 'export.start')) return pages;
  const { cursor: _, ...filters } = ctx.query;
  return html`<div class="log-foot"><form method="post" action="/admin/${path}/export" class="export">${csrfInput(ctx)}${Object.entries(
    filters,
  ).map(([name, value]) =>
    typeof value === 'string' && value !== '' ? hidden(name, value) : nothing,
  )}<button type="submit" class="secondary">${say('listFoot.exportAsCsv')}</button> <span class="muted">${say('listFoot.text', { maxExportedRows: numberText(maxExportedRows), link: tags.link('/admin/exports') })}</span></form>${pages}</div>`;
}
