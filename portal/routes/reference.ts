import { readFileSync } from 'node:fs';
import { type Operation, operationsOf, partnersPart } from '../../http/partner-reference.ts';
import type { PageContext } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { keepMode } from '../html/keep-mode.ts';
import { referenceLayout } from '../html/reference-layout.ts';
import { defaultModeOf, modeOf } from '../routing/chosen-mode.ts';
import type { Routes } from '../routing/route-table.ts';

const contract = new URL('../../api/openapi.yaml', import.meta.url);

/** Like every page's, but with inline styles, which Redoc uses. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join(';');

/** The reference of the partner API. */
export function referencePages(routes: Routes, { config }: Pick<PortalDeps, 'config'>): void {
  const part = partnersPart(readFileSync(contract, 'utf8'), config.portal.apiUrl);
  const reading = { audience: 'partner', permission: 'read' } as const;
  routes.page({ ...reading, path: '/reference' }, showReference(operationsOf(part)));
  routes.page({ ...reading, path: '/reference/openapi.yaml' }, sendContract(part));
}

const showReference =
  (operations: readonly Operation[]) =>
  (ctx: PageContext<'partner'>): void => {
    ctx.set('Content-Security-Policy', policy);
    ctx.type = 'html';
    const mode = modeOf(ctx);
    const whole = referenceLayout(ctx, operations);
    ctx.body = mode === defaultModeOf(ctx.state.viewer.partner) ? whole : keepMode(whole, mode);
  };

const sendContract =
  (part: string) =>
  (ctx: PageContext<'partner'>): void => {
    ctx.type = 'application/yaml';
    ctx.body = part;
  };
