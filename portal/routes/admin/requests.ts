import type Joi from 'joi';
import { defaultLimit, searchText } from '../../../http/query.ts';
import { lookUp } from '../../../models/views/names.ts';
import { scopeOf } from '../../../models/views/partner-scope.ts';
import { readAnyRequest, readEveryonesLog } from '../../../models/views/requests.ts';
import { createRequestHashes } from '../../../platform/hashing.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { filterOf, type LogQuery, logSchema, placeOf } from '../../forms/log-query.ts';
import { operatorPaths } from '../../html/links.ts';
import { anyRequestPage, requestsPage } from '../../html/pages/admin/requests.ts';
import { render } from '../../html/view.ts';
import { notFound } from '../../middleware/well-formed.ts';
import { chosenPartner } from '../../routing/chosen-partner.ts';
import { nameIds } from '../../routing/name-ids.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

/** The log of all partners. The code can be any that was ever stored. */
const querySchema = (logSchema as Joi.ObjectSchema<LogQuery & { partner?: string }>).append({
  partner: searchText,
  code: searchText,
});

const reading = { audience: 'operator', permission: 'read' } as const;

/** The signed requests of all partners, accepted or refused. */
export function operatorRequestPages(routes: Routes): void {
  routes.page({ ...reading, path: '/admin/requests' }, showRequests);
  routes.page(
    { ...reading, path: '/admin/requests/:requestId', params: { requestId: 'request' } },
    showRequest,
  );
}

async function showRequests(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const { partner: typed, ...query } = queryOf(ctx, querySchema);
  const partnerId = await chosenPartner(ctx, deps, typed);
  const filter = filterOf(partnerId ? scopeOf({ _id: partnerId }) : null, query.mode, query);
  const log = await readEveryonesLog(deps, filter, defaultLimit, placeOf(query));
  render(ctx, requestsPage(ctx, log, deps.now()));
}

async function showRequest(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const requestId = param(ctx, 'requestId');
  const request = await readAnyRequest(deps, requestId);
  if (request) {
    const { integrationId, credentialId } = request.request;
    await nameIds(ctx, deps, [integrationId, credentialId]);
    return render(ctx, anyRequestPage(ctx, request));
  }
  // For a moment after a purchase's response, only the event exists, and its log row does not.
  const hashes = createRequestHashes(deps.config.customerHashKey);
  const [accepted] = await lookUp({ ...deps, hashes }, null, requestId);
  if (!accepted?.eventId) throw notFound();
  redirect(ctx, operatorPaths.EVENT + accepted.eventId);
}
