import { maxExportedRows } from '../../models/jobs/index.ts';
import type { PageContext } from '../context.ts';
import { hasPermission } from '../middleware/authorize.ts';
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
  )}<button type="submit" class="secondary">Export as CSV</button> <span class="muted">everything these filters show, up to ${numberText(maxExportedRows)} rows · <a href="/admin/exports">Your exports</a></span></form>${pages}</div>`;
}
