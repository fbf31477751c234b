import { randomBytes } from 'node:crypto';
import Joi from 'joi';
import { invalidFields, ServiceError } from '../domain/errors.ts';
import { type Mode, modes } from '../domain/mode.ts';
import {
  everyEventType,
  maxEndpoints,
  maxWebhookUrlChars,
  secretOverlapMs,
  type WebhookEventType,
  webhookEventTypes,
  webhookExamples,
} from '../domain/webhooks.ts';
import { addressProblem } from '../messaging/webhooks/addresses.ts';
import { webhookSecretPrefix } from '../messaging/webhooks/sign.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { WebhookEndpointDoc, WebhookSecretDoc } from '../models/schemas/webhooks.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { requireFound } from '../models/store/require-found.ts';
import { announce, deliveryOf } from '../models/webhooks/announce.ts';
import {
  findDelivery,
  type ResendOutcome,
  resendDeliveries,
  resendDelivery,
} from '../models/webhooks/deliveries.ts';
import { findEndpoint, removeEndpoint, takenSlots } from '../models/webhooks/endpoints.ts';
import { addListener } from '../models/webhooks/listeners.ts';
import { sha256Hex } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import { awaitsOwner } from './credentials.ts';
import type { OperationDeps } from './deps.ts';
import { idField } from './fields.ts';
import { operation, sensitiveOperation, takesTwo } from './operation.ts';

/** Identifies an endpoint of a partner. */
export interface EndpointKey {
  partnerId: string;
  endpointId: string;
}

export const endpointKeyFields = { partnerId: idField, endpointId: idField };

/** The permissions to change endpoints: as with keys, LIVE is for owners. */
export const byMode = { TEST: 'webhook.test', LIVE: 'webhook.live' } as const;

export const urlField = Joi.string().max(maxWebhookUrlChars);

export const eventTypesField = Joi.array()
  .items(Joi.string().valid(...webhookEventTypes, everyEventType))
  .min(1)
  .unique();

export const descriptionField = Joi.string().trim().max(200).allow('');

/** @throws ServiceError VALIDATION_FAILED for a URL that is not allowed in the mode */
export function requireAddress(
  { config }: Pick<OperationDeps, 'config'>,
  url: string,
  mode: Mode,
): void {
  const problem = addressProblem(url, mode, config.webhooks.allowLoopback);
  if (problem !== undefined) throw invalidFields({ url: `url ${problem}` });
}

/** An endpoint with its newest secret in clear text, which is shown only once. */
export interface RevealedEndpoint {
  endpoint: WebhookEndpointDoc;
  /** Null for operators in LIVE: an owner of the partner is shown it. */
  secret: string | null;
}

/** What an approval of a change of an endpoint covers: the address itself may contain a token of the partner's. */
const addressFacts = (url: string) => ({
  origin: URL.parse(url)?.origin ?? null,
  urlHash: sha256Hex(url).slice(0, 16),
});

/** A LIVE endpoint gets what is told of customers' rewards, and its secret proves it. */
const inLive = ({ mode }: { mode: Mode }): boolean => mode === 'LIVE';

const secretBytes = 32;

/**
 * A new signing secret: in clear text for the response, and sealed for the database.
 * @param isHidden an owner is shown it, and not who makes it
 */
export function newWebhookSecret(
  { sealer, now }: Pick<OperationDeps, 'sealer' | 'now'>,
  endpointId: string,
  isHidden: boolean,
): { secret: string | null; stored: WebhookSecretDoc } {
  const secret = webhookSecretPrefix + randomBytes(secretBytes).toString('base64');
  const sealed = sealer.seal(secret, endpointId);
  const stored = { sealed, createdAt: new Date(now()), expiresAt: null };
  if (!isHidden) return { secret, stored };
  return { secret: null, stored: { ...stored, awaitsOwner: true } };
}

interface EndpointFields {
  partnerId: string;
  mode: Mode;
  url: string;
  eventTypes: string[];
  description: string;
}

/** Every lost race for a slot means that another request took one, so this many are enough. */
const maxRaces = 2 * maxEndpoints;

/** Creates a webhook endpoint, which receives events from now on. */
export const createWebhookEndpoint = sensitiveOperation({
  name: 'webhook-endpoint.create',
  permission: { operator: 'webhook-endpoint.create', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<EndpointFields>({
    partnerId: idField,
    mode: Joi.string()
      .valid(...modes)
      .required(),
    url: urlField.required(),
    eventTypes: eventTypesField.default([everyEventType]),
    description: descriptionField.default(''),
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  atWorst: {
    moves: 'what is told of rewards',
    undo: 'webhook-endpoint.delete',
    two: takesTwo.inLive,
  },
  approval: {
    shown: (_deps, { partnerId, mode, url, eventTypes }) => ({
      partnerId,
      mode,
      ...addressFacts(url),
      eventTypes,
    }),
    needed: inLive,
  },
  audit: ({ partnerId, mode, url, eventTypes }) => ({
    partnerId,
    targetId: null,
    // The URL may contain a token of the partner's in its path or query.
    details: { mode, origin: URL.parse(url)?.origin ?? null, eventTypes },
  }),

  /**
   * An approval that is repeated finds the endpoint that it made.
   * @throws ServiceError VALIDATION_FAILED for a URL that is not allowed; CONFLICT for more than ten
   */
  async run(
    deps: Pick<OperationDeps, 'models' | 'sealer' | 'config' | 'now'>,
    { partnerId, mode, url, eventTypes, description },
    { actor, idOf },
  ): Promise<RevealedEndpoint> {
    requireAddress(deps, url, mode);
    const _id = idOf('webhookEndpoint');
    const isHidden = awaitsOwner(actor, { mode });
    const known = isHidden && (await deps.models.webhookEndpoints.findOne({ partnerId, _id }));
    if (known) return { endpoint: known, secret: null };
    const { secret, stored } = newWebhookSecret(deps, _id, isHidden);
    const now = new Date(deps.now());
    for (let race = 0; race < maxRaces; race++) {
      const taken = await takenSlots(deps.models, partnerId, mode);
      const slot = Array.from({ length: maxEndpoints }, (_, place) => place).find(
        (place) => !taken.has(place),
      );
      if (slot === undefined) break;
      const endpoint: WebhookEndpointDoc = {
        _id,
        partnerId,
        mode,
        slot,
        url,
        eventTypes,
        description,
        secrets: [stored],
        status: 'ACTIVE',
        disabledReason: null,
        failingSince: null,
        warnedAt: null,
        disabledNoticeAt: null,
        deliveringUntil: null,
        createdAt: now,
        updatedAt: now,
      };
      if (await insertOnce(() => deps.models.webhookEndpoints.create(endpoint))) {
        return { endpoint, secret };
      }
    }
    throw new ServiceError(
      'CONFLICT',
      `${partnerId} has ${maxEndpoints} ${mode} webhook endpoints, the maximum. Delete one first.`,
    );
  },

  completion: ({ endpoint }) => ({ targetId: endpoint._id }),
});

/** Deletes a webhook endpoint with its pending deliveries. Other deliveries stay for 30 days. */
export const deleteWebhookEndpoint = sensitiveOperation({
  name: 'webhook-endpoint.delete',
  permission: { operator: 'webhook-endpoint.delete', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<EndpointKey>(endpointKeyFields),
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  atWorst: { moves: 'what waits for the endpoint', undo: null, two: takesTwo.inLive },
  approval: { shown: (_deps, _input, endpoint) => shownOf(endpoint), needed: inLive },
  audit: ({ endpointId }, { partnerId }) => ({ partnerId, targetId: endpointId }),

  /** @returns the deleted endpoint */
  async run({ models }: Pick<OperationDeps, 'models'>, key, { found: endpoint }) {
    await removeEndpoint(models, key);
    return endpoint;
  },
});

interface Listening {
  partnerId: string;
  /** The URL that the listener forwards to; the service never connects to it. */
  forwardTo: string;
  eventTypes?: string[];
  description?: string;
}

/** Adds a developer's terminal as a listener for TEST events, which signs and forwards them itself. */
export const listenToWebhooks = operation({
  name: 'webhook-listener.start',
  permission: { operator: null, user: 'webhook.test' },
  secondFactor: 'NEVER',
  input: Joi.object<Listening>({
    partnerId: idField,
    forwardTo: Joi.string()
      .max(maxWebhookUrlChars)
      .uri({ scheme: ['http', 'https'] })
      .required(),
    eventTypes: eventTypesField,
    description: descriptionField,
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, eventTypes }) => ({
    partnerId,
    targetId: null,
    details: { eventTypes: eventTypes ?? [everyEventType] },
  }),

  /** @throws ServiceError CONFLICT if the partner has the maximum number of listeners */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    { partnerId, forwardTo: url, eventTypes = [everyEventType], description = 'a terminal' },
    { idOf },
  ) {
    const _id = idOf('webhookEndpoint');
    return await addListener(
      models,
      { _id, partnerId, url, eventTypes, description },
      new Date(now()),
    );
  },

  completion: ({ _id }) => ({ targetId: _id }),
});

const shownOf = ({ partnerId, _id, mode, url, eventTypes, secrets }: WebhookEndpointDoc) => ({
  partnerId,
  endpointId: _id,
  mode,
  ...addressFacts(url),
  eventTypes,
  secretsSince: secrets.map(({ createdAt }) => createdAt.toISOString()),
});

interface Range extends EndpointKey {
  /** ISO 8601, with an offset. */
  from: string;
  until?: string;
  /** By default, all deliveries that are not pending. */
  state?: 'FAILED';
}

const instantRule =
  '{{#label}} must be an ISO 8601 time with an offset, such as 2026-03-01T09:30:00Z';
const instant = Joi.string()
  .isoDate()
  .pattern(/T.*(Z|[+-]\d\d:\d\d)$/)
  .messages({ 'string.isoDate': instantRule, 'string.pattern.base': instantRule });

/** Resends the webhooks of a period, such as after an outage: at most 10,000, oldest first. */
export const resendWebhooks = operation({
  name: 'webhook-endpoint.resend',
  permission: { operator: 'webhook-endpoint.resend', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<Range>({
    ...endpointKeyFields,
    from: instant.required(),
    until: instant,
    state: Joi.string().valid('FAILED'),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  audit: ({ endpointId, from, until, state }, { partnerId }) => ({
    partnerId,
    targetId: endpointId,
    details: { from, until: until ?? null, state: state ?? null },
  }),

  /** @throws ServiceError VALIDATION_FAILED for a period that ends before it begins */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    { from, until, state = null },
    { found: endpoint },
  ): Promise<ResendOutcome> {
    const range = {
      state,
      from: new Date(from),
      until: until === undefined ? null : new Date(until),
    };
    if (range.until !== null && range.until <= range.from) {
      throw invalidFields({ until: "until must be after the period's start" });
    }
    return await resendDeliveries(models, endpoint, range, new Date(now()));
  },
});

interface Resend extends EndpointKey {
  deliveryId: string;
}

/** Resends a webhook with the same id and body, so that receivers recognize a repeat. */
export const resendWebhook = operation({
  name: 'webhook-delivery.resend',
  permission: { operator: 'webhook-delivery.resend', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<Resend>({ ...endpointKeyFields, deliveryId: idField }),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) =>
    findEndpoint(models, partnerId, endpointId, true),
  audit: ({ deliveryId, endpointId }, { partnerId }) => ({
    partnerId,
    targetId: deliveryId,
    details: { endpointId },
  }),

  /** @throws ServiceError NOT_FOUND for a delivery of another endpoint, or older than 30 days */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    { deliveryId },
    { found: endpoint },
  ) {
    const delivery = await findDelivery(models, endpoint, deliveryId);
    const resent = await resendDelivery(models, delivery, new Date(now()));
    return requireFound(resent, 'webhook delivery', deliveryId);
  },
});

/**
 * Replaces the signing secret of a webhook endpoint. The previous secret signs as well for another day, so
 * that a receiver can switch without an outage; older ones stop immediately.
 */
export const rotateWebhookSecret = sensitiveOperation({
  name: 'webhook-endpoint.rotate-secret',
  permission: { operator: 'webhook-endpoint.rotate-secret', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<EndpointKey>(endpointKeyFields),
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  atWorst: {
    moves: 'what its receiver believes',
    undo: 'webhook-endpoint.rotate-secret',
    two: takesTwo.inLive,
  },
  approval: { shown: (_deps, _input, endpoint) => shownOf(endpoint), needed: inLive },
  audit: ({ endpointId }, { partnerId }) => ({ partnerId, targetId: endpointId }),

  async run(
    deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>,
    { partnerId, endpointId },
    { actor, found },
  ): Promise<RevealedEndpoint> {
    const { models, now } = deps;
    const { secret, stored } = newWebhookSecret(deps, endpointId, awaitsOwner(actor, found));
    const expiresAt = new Date(now() + secretOverlapMs);
    // One write based on the current secrets: after two concurrent rotations, the secrets of both sign.
    await models.webhookEndpoints.collection.updateOne({ partnerId, _id: endpointId }, [
      {
        $set: {
          secrets: {
            $concatArrays: [
              [stored],
              [{ $mergeObjects: [{ $arrayElemAt: ['$secrets', 0] }, { expiresAt }] }],
            ],
          },
          updatedAt: new Date(now()),
        },
      },
    ]);
    return { endpoint: await findEndpoint(models, partnerId, endpointId), secret };
  },
});

/** Shows an owner, once, the secret of a LIVE endpoint that operators made. */
export const showWebhookSecret = operation({
  name: 'webhook-endpoint.show-secret',
  permission: { operator: null, user: 'webhook.live' },
  secondFactor: 'ALWAYS',
  input: Joi.object<EndpointKey>(endpointKeyFields),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  audit: ({ endpointId }, { partnerId }) => ({ partnerId, targetId: endpointId }),

  /** @throws ServiceError CONFLICT for a secret that was shown, or that operators did not make */
  async run(
    { models, sealer }: Pick<OperationDeps, 'models' | 'sealer'>,
    { partnerId, endpointId },
  ): Promise<RevealedEndpoint> {
    const before = await models.webhookEndpoints.findOneAndUpdate(
      { partnerId, _id: endpointId, 'secrets.0.awaitsOwner': true },
      { $unset: { 'secrets.0.awaitsOwner': '' } },
      { returnDocument: 'before' },
    );
    const [newest] = before?.secrets ?? [];
    if (!before || !newest) {
      throw new ServiceError('CONFLICT', 'This secret was shown already. Rotate it if it is lost.');
    }
    return { endpoint: before, secret: sealer.open(newest.sealed, endpointId) };
  },
});

/**
 * Sends an example of an event to a partner's TEST endpoints and listeners, also of events that do not
 * happen in TEST. Its `data` marks it as an example.
 */
export const sendWebhookExample = operation({
  name: 'webhook-example.send',
  permission: { operator: null, user: 'webhook.test' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; type: WebhookEventType }>({
    partnerId: idField,
    type: Joi.string()
      .valid(...webhookEventTypes)
      .required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, type }) => ({ partnerId, targetId: null, details: { type } }),

  /**
   * @returns the event's id, and the number of its recipients
   * @throws ServiceError CONFLICT if there are none
   */
  async run({ models, now }: Pick<OperationDeps, 'models' | 'now'>, { partnerId, type }) {
    const told = await announce(models, [
      {
        type,
        partnerId,
        mode: 'TEST',
        at: new Date(now()),
        cause: newId('webhookEvent'),
        sequence: null,
        rewardId: null,
        data: { ...webhookExamples[type], isExample: true },
      },
    ]);
    const [event] = told;
    if (event !== undefined) return { eventId: event.eventId, told: told.length };
    throw new ServiceError(
      'CONFLICT',
      `No TEST endpoint or terminal receives ${type}. Create an endpoint, or start listening in a second terminal.`,
    );
  },
});

/** Sends `test.ping` to a webhook endpoint, whatever its event types. */
export const testWebhookEndpoint = operation({
  name: 'webhook-endpoint.test',
  permission: { operator: 'webhook-endpoint.test', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<EndpointKey>(endpointKeyFields),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  audit: ({ endpointId }, { partnerId }) => ({ partnerId, targetId: endpointId }),

  /** @returns the delivery, which is sent after the response */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    _input,
    { found: { _id, partnerId, mode } },
  ) {
    const delivery = deliveryOf(_id, {
      type: 'test.ping',
      partnerId,
      mode,
      at: new Date(now()),
      cause: newId('webhookEvent'),
      sequence: null,
      rewardId: null,
      data: { endpointId: _id },
    });
    await models.webhookDeliveries.create(delivery);
    return delivery;
  },
});

interface Change extends EndpointKey {
  url?: string;
  eventTypes?: string[];
  description?: string;
  status?: 'ACTIVE' | 'PAUSED';
}

/**
 * Changes, pauses or resumes a webhook endpoint. Events wait while it is paused. Events from a time when it
 * was disabled are not sent.
 */
export const updateWebhookEndpoint = sensitiveOperation({
  name: 'webhook-endpoint.update',
  permission: { operator: 'webhook-endpoint.update', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<Change>({
    ...endpointKeyFields,
    url: urlField,
    eventTypes: eventTypesField,
    description: descriptionField,
    status: Joi.string().valid('ACTIVE', 'PAUSED'),
  }).or('url', 'eventTypes', 'description', 'status'),
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  atWorst: {
    moves: 'what is told of rewards',
    undo: 'webhook-endpoint.update',
    two: 'in LIVE, for its address and events',
  },
  approval: {
    shown: (_deps, { url, eventTypes, status }, endpoint) => ({
      ...shownOf(endpoint),
      to: {
        ...(url !== undefined && url !== endpoint.url && addressFacts(url)),
        ...(eventTypes !== undefined && { eventTypes }),
        ...(status !== undefined && { status }),
      },
    }),
    // To pause is undone by resuming.
    needed: ({ mode, to }: { mode: Mode; to: object }) =>
      mode === 'LIVE' && ('urlHash' in to || 'eventTypes' in to),
  },
  audit: ({ endpointId, url, eventTypes, status }, { partnerId }) => ({
    partnerId,
    targetId: endpointId,
    details: {
      ...(url !== undefined && { origin: URL.parse(url)?.origin ?? null }),
      ...(eventTypes !== undefined && { eventTypes }),
      ...(status !== undefined && { status }),
    },
  }),

  /** @throws ServiceError VALIDATION_FAILED for a URL that is not allowed */
  async run(
    deps: Pick<OperationDeps, 'models' | 'config' | 'now'>,
    { partnerId, endpointId, ...change },
    { found: { mode, status } },
  ): Promise<WebhookEndpointDoc> {
    if (change.url !== undefined) requireAddress(deps, change.url, mode);
    const now = new Date(deps.now());
    const hasGap = status === 'DISABLED' && change.status === 'ACTIVE';
    const recovered = { disabledReason: null, failingSince: null, warnedAt: null };
    await deps.models.webhookEndpoints.updateOne(
      { partnerId, _id: endpointId },
      {
        $set: {
          ...change,
          ...(change.status === 'ACTIVE' && recovered),
          ...((hasGap || change.eventTypes !== undefined) && { subscribedSince: now }),
          updatedAt: now,
        },
      },
    );
    return await findEndpoint(deps.models, partnerId, endpointId);
  },
});
