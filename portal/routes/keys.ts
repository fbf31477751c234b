import { pageSchema } from '../../http/query.ts';
import { readKey, readKeys } from '../../models/views/integrations.ts';
import { type PageContext, param } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { keyPage, keysPage } from '../html/pages/keys.ts';
import { render } from '../html/view.ts';
import { modeOf } from '../routing/chosen-mode.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const reading = { audience: 'partner', permission: 'read' } as const;

/** API keys and their secrets. TEST and LIVE have separate paths, since different people may change them. */
export function keyPages(routes: Routes): void {
  routes.page({ ...reading, path: '/keys' }, showKeys);
  routes.page(
    { ...reading, path: '/keys/:credentialId', params: { credentialId: 'credential' } },
    showKey,
  );
}

async function showKeys(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  const keys = await readKeys(deps, ownScope(ctx), mode, queryOf(ctx, pageSchema));
  render(ctx, keysPage(ctx, mode, keys));
}

async function showKey(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const found = await readKey(deps, ownScope(ctx), param(ctx, 'credentialId'));
  render(ctx, keyPage(ctx, found, deps.config.portal.apiUrl));
}
