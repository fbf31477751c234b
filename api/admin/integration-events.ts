import type { Router } from '@koa/router';
import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import { type RequestType, requestTypes } from '../../domain/request.ts';
import {
  cursorOf,
  defaultLimit,
  type PageQuery,
  pageParameters,
  searchText,
} from '../../http/paging.ts';
import { utcDay } from '../../http/utc-day.ts';
import type { IntegrationEventDoc } from '../../models/schemas/requests.ts';
import { readLog } from '../../models/views/events-log.ts';
import { scopeOf } from '../../models/views/partner-scope.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, queryOf } from './context.ts';
import { requirePermission } from './require-permission.ts';

interface IntegrationEventQuery extends PageQuery {
  partner?: string;
  mode?: Mode;
  type?: RequestType;
  code?: string;
  order?: string;
  /** UTC days, both included. */
  from?: string;
  to?: string;
}

const querySchema = Joi.object<IntegrationEventQuery>({
  partner: searchText,
  mode: Joi.string().valid(...modes),
  type: Joi.string().valid(...requestTypes),
  code: searchText,
  order: searchText,
  from: utcDay,
  to: utcDay,
  ...pageParameters,
});

function presentIntegrationEvent({ _id, ...event }: IntegrationEventDoc) {
  return { integrationEventId: _id, ...event };
}

export function integrationEventRoutes(router: Router<OperatorState>, { models }: ApiDeps): void {
  router.get('/integration-events', requirePermission('read'), async (ctx) => {
    const {
      partner,
      order,
      from,
      to,
      limit = defaultLimit,
      cursor,
      ...rest
    } = queryOf(ctx, querySchema);
    const partnerId = partner === undefined ? null : scopeOf({ _id: partner });
    const { events, older } = await readLog(
      { models },
      { partnerId, externalOrderId: order, fromDay: from, toDay: to, ...rest },
      limit,
      cursor === undefined ? undefined : { olderThan: cursor },
    );
    ctx.body = { items: events.map(presentIntegrationEvent), nextCursor: cursorOf(older) };
  });
}
