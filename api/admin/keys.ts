import type { Router } from '@koa/router';
import { keyExpiresAt } from '../../domain/partners.ts';
import { param } from '../../http/context.ts';
import { given, pageSchema, readPage } from '../../http/query.ts';
import { deliveryQuery, presentDelivery, presentEndpoint } from '../../http/webhook-endpoints.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { CredentialDoc, ServiceAccountDoc } from '../../models/schemas/integrations.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { endpointsOf, findEndpoint } from '../../models/webhooks/endpoints.ts';
import {
  createCredential,
  type RevealedSecret,
  revokeCredential,
  revokeSecret,
  rotateCredential,
} from '../../operations/credentials.ts';
import { revokeServiceAccount } from '../../operations/service-accounts.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  type RevealedEndpoint,
  resendWebhook,
  resendWebhooks,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../operations/webhook-endpoints.ts';
import type { ApiDeps } from '../deps.ts';
import {
  checkQuery,
  type OperationRoutes,
  type OperatorContext,
  type OperatorState,
  requirePermission,
} from './context.ts';

/** A credential without its secrets. */
function presentCredential(credential: CredentialDoc) {
  const { _id, partnerId, integrationId, mode, apiKey, scopes, secrets } = credential;
  const { createdAt, revokedAt } = credential;
  return {
    credentialId: _id,
    partnerId,
    integrationId,
    mode,
    apiKey,
    scopes,
    secrets: secrets.map(({ secretId, createdAt, expiresAt, lastUsedAt, revokedAt }) => ({
      secretId,
      createdAt,
      expiresAt,
      lastUsedAt,
      revokedAt,
    })),
    createdAt,
    expiresAt: keyExpiresAt(credential),
    revokedAt,
  };
}

/** The only response that contains a TEST secret in clear text; a LIVE one is shown to an owner of the partner. */
function presentSecret({ credential, secretId, secret }: RevealedSecret) {
  return { credential: presentCredential(credential), secretId, secret };
}

export function credentialRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  const revealed = (made: RevealedSecret) => ({ status: 201, body: presentSecret(made) });
  const ended = (key: CredentialDoc) => ({ status: 200, body: presentCredential(key) });

  operations.route('post', '/partners/:partnerId/credentials', createCredential, {
    body: true,
    secret: true,
    respond: revealed,
  });

  router.get('/partners/:partnerId/credentials', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = checkQuery(ctx, pageSchema);
    ctx.body = await readPage(models.credentials, [{ partnerId }], query, presentCredential);
  });

  operations.route('post', '/credentials/:credentialId/secrets', rotateCredential, {
    secret: true,
    respond: revealed,
  });
  operations.route('delete', '/credentials/:credentialId/secrets/:secretId', revokeSecret, {
    respond: ended,
  });
  operations.route('delete', '/credentials/:credentialId', revokeCredential, { respond: ended });
}

/** A service account, with its tokens but without their hashes. */
function presentAccount({ _id: id, tokens, ...account }: ServiceAccountDoc) {
  const { partnerId, mode, name, scopes, createdAt, expiresAt, revokedAt } = account;
  return {
    id,
    partnerId,
    mode,
    name,
    scopes,
    tokens: tokens.map((token) => ({
      createdAt: token.createdAt,
      endsAt: token.endsAt,
      lastUsedAt: token.lastUsedAt,
      lastUsedFrom: token.lastUsedFrom,
    })),
    createdAt,
    expiresAt,
    revokedAt,
  };
}

const allServiceAccountsOf = '/partners/:partnerId/service-accounts';

/** Partners' service accounts. Operators can list and revoke them, but never get a token. */
export function serviceAccountRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  router.get(allServiceAccountsOf, requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = checkQuery(ctx, pageSchema);
    ctx.body = await readPage(models.serviceAccounts, [{ partnerId }], query, presentAccount);
  });
  operations.route('delete', `${allServiceAccountsOf}/:serviceAccountId`, revokeServiceAccount, {
    respond: (account) => ({ status: 200, body: presentAccount(account) }),
  });
}

const allOf = '/partners/:partnerId/webhook-endpoints';
const one = `${allOf}/:endpointId`;

/** Partners' webhook endpoints and deliveries, for operators and their scripts. */
export function webhookRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  const revealed = ({ endpoint, secret }: RevealedEndpoint) => ({
    status: 201,
    body: { endpoint: presentEndpoint(endpoint), secret },
  });
  const shown = (endpoint: WebhookEndpointDoc) => ({
    status: 200,
    body: { endpoint: presentEndpoint(endpoint) },
  });
  const accepted = (delivery: WebhookDeliveryDoc) => ({
    status: 202,
    body: { delivery: presentDelivery(delivery) },
  });
  const endpointOf = (ctx: OperatorContext) =>
    findEndpoint(models, param(ctx, 'partnerId'), param(ctx, 'endpointId'));

  operations.route('post', allOf, createWebhookEndpoint, {
    body: true,
    secret: true,
    respond: revealed,
  });
  router.get(allOf, requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = checkQuery(ctx, pageSchema);
    ctx.body = await readPage(
      models.webhookEndpoints,
      [endpointsOf(partnerId)],
      query,
      presentEndpoint,
    );
  });
  router.get(one, requirePermission('read'), async (ctx) => {
    ctx.body = { endpoint: presentEndpoint(await endpointOf(ctx)) };
  });
  operations.route('patch', one, updateWebhookEndpoint, { body: true, respond: shown });
  operations.route('delete', one, deleteWebhookEndpoint, { respond: shown });
  operations.route('post', `${one}/secrets`, rotateWebhookSecret, {
    secret: true,
    respond: revealed,
  });
  operations.route('post', `${one}/test`, testWebhookEndpoint, { respond: accepted });
  router.get(`${one}/deliveries`, requirePermission('read'), async (ctx) => {
    const ids = [param(ctx, 'partnerId'), param(ctx, 'endpointId')] as const;
    const { _id: endpointId, partnerId } = await findEndpoint(models, ...ids, true);
    const { state, type, ...query } = checkQuery(ctx, deliveryQuery);
    const conditions = given({ partnerId, endpointId, state, type });
    ctx.body = await readPage(models.webhookDeliveries, conditions, query, presentDelivery);
  });
  operations.route('post', `${one}/resend`, resendWebhooks, {
    body: true,
    respond: (resent) => ({ status: 202, body: resent }),
  });
  operations.route('post', `${one}/deliveries/:deliveryId/resend`, resendWebhook, {
    respond: accepted,
  });
}
