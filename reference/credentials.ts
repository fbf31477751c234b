import { get, post, remove, section } from './operations.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import {
  flag,
  instant,
  like,
  list,
  object,
  open,
  optional,
  orNull,
  type Schema,
  text,
  whole,
} from './shapes.ts';
import { Mode, Proposed, page } from './shared.ts';
import { Scope, ServiceAccountScopes } from './webhooks.ts';

export const Secret: Schema = object({
  secretId: text('The signing secret, `sec_…`.'),
  createdAt: instant('When it was created, ISO 8601 in UTC.'),
  expiresAt: orNull(instant('Null in TEST.')),
  lastUsedAt: orNull(instant('When it was last used, ISO 8601 in UTC; null before.')),
  revokedAt: orNull(instant('When it was revoked, ISO 8601 in UTC; null before.')),
});

export const Credential: Schema = object({
  credentialId: text('The API key, `key_…`.'),
  partnerId: text('The partner, `prt_…`.'),
  integrationId: text('The integration, `int_…`.', { minLength: 1 }),
  mode: Mode,
  apiKey: text('The key that `X-Partner-Key` carries. It is not secret.'),
  scopes: list(Scope, 'What the API key allows.', { minItems: 1, uniqueItems: true }),
  secrets: list(Secret, 'At most two can be active.'),
  createdAt: instant('When it was created, ISO 8601 in UTC.'),
  expiresAt: orNull(instant('When the last of its secrets expires. Null in TEST.')),
  revokedAt: orNull(instant('When it was revoked, ISO 8601 in UTC; null before.')),
});

export const ServiceAccount: Schema = object({
  id: text('The service account, `sva_…`.'),
  partnerId: text('The partner, `prt_…`.'),
  mode: Mode,
  name: text('Its name.'),
  scopes: ServiceAccountScopes,
  tokens: list(
    object({
      createdAt: instant('When it was created, ISO 8601 in UTC.'),
      endsAt: orNull(instant('When a replaced token stops working.')),
      lastUsedAt: orNull(instant('When it was last used, ISO 8601 in UTC; null before.')),
      lastUsedFrom: orNull(text('The network address from which it was last used; null before.')),
    }),
    'Newest first, at most two.',
  ),
  createdAt: instant('When it was created, ISO 8601 in UTC.'),
  expiresAt: orNull(instant('When it stops working, ISO 8601 in UTC; null for never.')),
  revokedAt: orNull(instant('When it was revoked, ISO 8601 in UTC; null before.')),
});

export const CredentialCreate: Schema = object({
  integrationId: text('The integration, `int_…`.', { minLength: 1 }),
  mode: Mode,
  scopes: list(Scope, 'What the API key allows.', { minItems: 1, uniqueItems: true }),
  days: optional(
    whole('How long each of its secrets works. LIVE only: secrets of TEST keys do not expire.', {
      minimum: 30,
      maximum: 366,
      default: 365,
    }),
  ),
});

export const RevealedSecret: Schema = object({
  credential: like(Credential, 'The API key.'),
  secretId: text('The signing secret, `sec_…`.'),
  secret: orNull(
    text(
      'The secret, which only this response contains. Null in LIVE: an owner of the partner is shown it once, in the portal.',
    ),
  ),
});

export const RefusedRequestFields: Schema = open({
  requestId: text('The `X-Request-Id` of the response, `req_…`.'),
  code: text('The error code.'),
  receivedAt: instant('When it arrived, ISO 8601 in UTC.'),
  method: text('The method of the request.'),
  path: text('The path as sent.'),
  query: orNull(text('The query string as sent; null without one.')),
  timestamp: text('The header as sent.'),
  body: object(
    {
      lengthBytes: whole('The length of the body, in bytes.', { minimum: 0 }),
      sha256: text('The SHA-256 of the body, in hex.', { pattern: '^[0-9a-f]{64}$' }),
    },
    { description: 'The body, which is not stored.' },
  ),
});

export const RefusedRequest: Schema = like(RefusedRequestFields, undefined, {
  unevaluatedProperties: false,
});

export const SignatureFinding: Schema = object({
  cause: text('Such as `PATH_PREFIX`; new ones may be added.'),
  line: orNull(
    whole('The line of the canonical string that differs because of it.', {
      minimum: 1,
      maximum: 5,
    }),
  ),
  what: text('What is wrong.'),
  advice: text('What the partner has to change.'),
});

export const DiagnosedRequest: Schema = {
  like: RefusedRequestFields,
  unevaluatedProperties: false,
  required: ['findings', 'lines'],
  properties: {
    findings: list(
      SignatureFinding,
      'What is wrong with the signature, the most important first. Empty if the signature is valid by now.',
    ),
    lines: list(
      object({
        line: whole('The number of the line, from 1.', { minimum: 1 }),
        name: text('What the line contains.'),
        ours: orNull(text('The line as we computed it.')),
        theirs: orNull(text('Null if the signed string was not found, or has no such line.')),
        differs: flag('Whether the two differ.'),
      }),
      'The canonical string as we computed it and as it was signed, with invisible characters shown.',
    ),
  },
};

export const credentials = section('Credentials', 'API keys and their signing secrets.', [
  get('/admin/v1/partners/{partnerId}/credentials', {
    id: 'listCredentials',
    summary: 'List a partner’s API keys',
    by: 'operator',
    parameters: [at.PartnerId, at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(Credential)] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound },
  }),
  post('/admin/v1/partners/{partnerId}/credentials', {
    id: 'createCredential',
    summary: 'Create an API key',
    description:
      'A LIVE key requires an approved go-live and two operators, its secrets expire, and an owner of the partner is shown its secret.',
    by: 'operator',
    parameters: [at.PartnerId],
    body: CredentialCreate,
    gives: {
      201: ['The key is created.', RevealedSecret],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  remove('/admin/v1/credentials/{credentialId}', {
    id: 'revokeCredential',
    summary: 'Revoke an API key',
    description:
      'Revokes the key and all its secrets within seconds. Revoking it again changes nothing.',
    by: 'operator',
    parameters: [at.CredentialId],
    gives: { 200: ['The revoked key.', Credential] },
    errors: { 404: refused.NotFound },
  }),
  post('/admin/v1/credentials/{credentialId}/secrets', {
    id: 'rotateSecret',
    summary: 'Create a second signing secret',
    description:
      'Both secrets are valid until one is revoked or, in LIVE, expires; the new one works as long as the one before did. A key can have two active secrets; a third returns 409.',
    by: 'operator',
    parameters: [at.CredentialId],
    gives: {
      201: ['The secret is created.', RevealedSecret],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 404: refused.NotFound, 409: refused.Conflict },
  }),
  remove('/admin/v1/credentials/{credentialId}/secrets/{secretId}', {
    id: 'revokeSecret',
    summary: 'Revoke a signing secret',
    description: 'The secret stops working within seconds. Revoking it again changes nothing.',
    by: 'operator',
    parameters: [at.CredentialId, at.SecretId],
    gives: { 200: ['The updated key.', Credential] },
    errors: { 404: refused.NotFound },
  }),
  get('/admin/v1/credentials/{credentialId}/refused-requests', {
    id: 'listRefusedRequests',
    summary: 'List a key’s requests with a refused signature',
    description:
      'Returns up to 100 of the last seven days, newest first, on one page. The read is recorded in the audit log.',
    by: 'operator',
    parameters: [at.CredentialId],
    gives: { 200: ['The refused requests that are kept.', page(RefusedRequest)] },
    errors: { 404: refused.NotFound },
  }),
  get('/admin/v1/credentials/{credentialId}/refused-requests/{requestId}', {
    id: 'diagnoseRefusedRequest',
    summary: 'Diagnose a refused signature',
    description:
      'Returns what is wrong with the signature, and the string that was signed beside the canonical one. It contains neither a secret nor the correct signature. The read is recorded in the audit log.',
    by: 'operator',
    parameters: [at.CredentialId, at.RequestId],
    gives: { 200: ['The diagnosis.', DiagnosedRequest] },
    errors: { 404: refused.NotFound },
  }),
  get('/admin/v1/partners/{partnerId}/service-accounts', {
    id: 'listServiceAccounts',
    summary: 'List a partner’s service accounts',
    by: 'operator',
    parameters: [at.PartnerId, at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first, with revoked accounts.', page(ServiceAccount)] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound },
  }),
  remove('/admin/v1/partners/{partnerId}/service-accounts/{serviceAccountId}', {
    id: 'revokeServiceAccount',
    summary: 'Revoke a service account',
    description:
      'Its tokens stop working with the next request. Revoking it again changes nothing. Partners create service accounts in the portal; operators cannot get a token of one.',
    by: 'operator',
    parameters: [at.PartnerId, at.ServiceAccountId],
    gives: { 200: ['The revoked account.', ServiceAccount] },
    errors: { 404: refused.NotFound },
  }),
]);
