import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { IntegrationEventDoc } from '../../models/schemas/requests.ts';
import { findRequests } from '../../models/views/log.ts';
import { scopeOf } from '../../models/views/partner-scope.ts';
import type { ProgramViewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { filterOf, type LogQuery, logSchema, placeOf } from '../forms/log-query.ts';
import { modeToRead } from './viewer.ts';

interface ProgramLogQuery extends LogQuery {
  limit: number;
}

const schema = (logSchema as Joi.ObjectSchema<ProgramLogQuery>).append({
  limit: Joi.number().integer().min(1).max(500).default(100),
});

/**
 * A page of a partner's log for a program: newest first or, after `newer`, oldest first.
 * @returns the events and the cursor of the next page; null at the end, which may move on later
 * @throws ServiceError VALIDATION_FAILED, naming the parameter; FORBIDDEN for a mode that is not a service
 *   account's
 */
export async function readLogAsJson(
  { models }: Pick<PortalDeps, 'models'>,
  program: ProgramViewer,
  query: unknown,
) {
  const { value, error } = schema.validate(query);
  if (error) throw new ServiceError('VALIDATION_FAILED', error.message);
  const { limit, ...params } = value;
  const filter = filterOf(scopeOf(program.partner), modeToRead(program, params.mode), params);
  const events = await findRequests(models, filter, limit, placeOf(params));
  const next = events.length < limit ? null : (events.at(-1)?._id ?? null);
  return { events: events.map(present), next };
}

/** A row of the log. If it represents several requests, its `count` rises until its minute ends. */
function present(event: IntegrationEventDoc) {
  const { _id: id, receivedAt, mode, type, method, path, status, code, count } = event;
  const { externalOrderId, eventId, requestId, integrationId, credentialId } = event;
  return {
    id,
    receivedAt: receivedAt.toISOString(),
    mode,
    type,
    method,
    path,
    status,
    code,
    count,
    externalOrderId,
    eventId,
    requestId,
    integrationId,
    credentialId,
  };
}
