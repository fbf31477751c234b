import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Joi from 'joi';
import { type GroupRole, parseGroupRoles } from '../domain/group-roles.ts';
import type { VatTerms } from '../domain/vat.ts';
import { type GivenKey, parseMasterKey } from './master-keys.ts';
import { mongoUriProblem } from './mongo.ts';
import { validationMessages } from './validation.ts';

/** A variable is missing or invalid; the message names it and says what is expected. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const otlpHeaderPattern = /^(?<name>[A-Za-z0-9_-]+)=(?<value>[\x21-\x7e]+)$/;

/** A kind of value: how it is checked and read, and how docs/operate/configuration.md describes it. */
interface Kind<T> {
  schema: Joi.AnySchema<T>;
  values: string;
}

/** A variable of the environment. */
export interface Variable<T = unknown> extends Kind<T> {
  /** As it would be written; undefined for none. */
  fallback: string | number | boolean | undefined;
  isRequired: boolean;
  /** A secret can be given as a file instead, as orchestrators provide them, in `NAME_FILE`. */
  isSecret: boolean;
  description: string;
}

const optional = <T>(kind: Kind<T>, description: string): Variable<T | undefined> => ({
  ...kind,
  fallback: undefined,
  isRequired: false,
  isSecret: false,
  description,
});

const required = <T>(kind: Kind<T>, description: string): Variable<T> => ({
  ...optional(kind, description),
  schema: kind.schema.required(),
  isRequired: true,
});

const defaulting = <T extends string | number | boolean>(
  fallback: T,
  kind: Kind<T>,
  description: string,
): Variable<T> => ({
  ...optional(kind, description),
  schema: kind.schema.default(fallback),
  fallback,
});

const secret = <T>(variable: Variable<T>): Variable<T> => ({ ...variable, isSecret: true });

const text: Kind<string> = { schema: Joi.string(), values: 'text' };
const shortText = (max: number): Kind<string> => ({
  schema: Joi.string().trim().max(max),
  values: 'text',
});
const port: Kind<number> = { schema: Joi.number().port(), values: 'port' };
const trueOrFalse: Kind<boolean> = { schema: Joi.boolean(), values: '`true`, `false`' };
const onOrOff = {
  schema: Joi.string().valid('on', 'off'),
  values: '`on`, `off`',
} as Kind<'on' | 'off'>;

const integer = (min: number, max = Number.MAX_SAFE_INTEGER): Kind<number> => ({
  schema: Joi.number().integer().min(min).max(max),
  values: `integer, ${min.toLocaleString('en')} ${
    max === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${max.toLocaleString('en')}`
  }`,
});

const hours: Kind<number> = {
  schema: Joi.number()
    .positive()
    .max(24 * 366),
  values: 'number, above 0 to 8,784',
};

const url = (...scheme: string[]): Kind<string> => ({
  schema: Joi.string().uri({ scheme }),
  values: scheme.map((one) => `\`${one}://\``).join(', '),
});

/** An address that paths are appended to. */
const origin: Kind<string> = {
  schema: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .custom((value: string, { error }) => {
      const { origin: bare, href } = new URL(value);
      return href === `${bare}/` ? bare : error('origin');
    })
    .messages({
      origin: '{#label} must be an address without a path, such as https://points.example.com',
    }),
  values: '`http://`, `https://`',
};

/** `first|second` is read as two lines. */
const lines: Kind<string> = {
  schema: Joi.string()
    .trim()
    .max(500)
    .custom((value: string) =>
      value
        .split('|')
        .map((line) => line.trim())
        .join('\n'),
    ),
  values: 'text',
};

/** Until an open review is overdue: longer than a weekend, on which nobody may be there to decide it. */
const reviewDueMs = 72 * 3_600_000;

/** Where Kubernetes mounts the token of a pod's service account. */
const serviceAccountTokenFile = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** Begins every payment reference, unless the installation says otherwise. */
export const defaultPaymentReferencePrefix = 'PE';

const vat = {
  schema: Joi.string()
    .pattern(/^[A-Z]{2} \d{1,2}(\.\d{1,2})?$/)
    .custom((value: string) => {
      const [country = '', percent = ''] = value.split(' ');
      return { country, rate: Math.round(Number(percent) * 100) };
    }),
  values: 'country and percent',
} as unknown as Kind<VatTerms>;

const referencePrefix: Kind<string> = {
  schema: Joi.string().pattern(/^[A-Z0-9]{1,6}$/),
  values: 'text',
};

const groupRoles = {
  schema: Joi.string()
    .custom((value: string, { error }) => {
      try {
        return parseGroupRoles(value);
      } catch {
        return error('groupRoles');
      }
    })
    .messages({
      groupRoles: '{#label} must be pairs such as admins=admin,shop=prt_…:developer',
    }),
  values: 'list of `group=role`',
} as unknown as Kind<GroupRole[]>;

const mongoUri: Kind<string> = {
  schema: Joi.string()
    .custom((value: string, { error }) => {
      const problem = mongoUriProblem(value);
      return problem === undefined ? value : error('mongodbUri', { problem });
    })
    .messages({ mongodbUri: '{#label} is not a valid MongoDB URI: {#problem}' }),
  values: '`mongodb://`, `mongodb+srv://`',
};

const masterKeys = {
  schema: Joi.string()
    .custom((value: string, { error }) => {
      const keys = value.split(',').map(parseMasterKey);
      if (keys.includes(null)) return error('masterKeys.format');
      const ids = new Set(keys.map((one) => one?.id));
      return ids.size === keys.length ? keys : error('masterKeys.id');
    })
    .messages({
      'masterKeys.format':
        '{#label} must be id:key pairs joined by commas, each key 32 bytes in base64 or wrapped by Vault or AWS KMS',
      'masterKeys.id': '{#label} must give each key its own id',
    }) as Joi.AnySchema,
  values: 'text',
} as Kind<GivenKey[]>;

const otlpHeaders = {
  schema: Joi.string()
    .custom((value: string, { error }) => {
      try {
        return parseOtlpHeaders(value);
      } catch {
        return error('otlpHeaders');
      }
    })
    .messages({
      otlpHeaders: '{#label} must be name=value pairs joined by commas',
    }) as Joi.AnySchema,
  values: 'text',
} as Kind<Record<string, string>>;

/**
 * All variables. The type of the configuration, its checks, docs/operate/configuration.md and .env.example
 * are derived from this table.
 */
export const variables = {
  MONGODB_URI: secret(
    required(
      mongoUri,
      'The database, named in the URI. MongoDB 4.4 or newer. If set, `npm start` starts no MongoDB.',
    ),
  ),
  TEMPORAL_ADDRESS: required(
    text,
    '`host:port` of the Temporal frontend. If set, `npm start` starts no Temporal.',
  ),
  TEMPORAL_NAMESPACE: defaulting('default', text, 'Created by migrate if it does not exist.'),
  TEMPORAL_TASK_QUEUE: defaulting(
    'purchases',
    text,
    'The task queue; must be the same for API, portal, worker and migrate.',
  ),
  TEMPORAL_UI_URL: defaulting(
    'http://127.0.0.1:8233',
    url('http', 'https'),
    'The Temporal UI, for links to workflows.',
  ),
  TEMPORAL_API_KEY: secret(optional(text, 'API key for Temporal Cloud.')),
  TEMPORAL_TLS: defaulting(
    false,
    trueOrFalse,
    'TLS to Temporal. Any of the files below also turns it on.',
  ),
  TEMPORAL_TLS_CA_FILE: optional(
    text,
    'PEM: the CA of Temporal’s certificate, if the system does not trust it already.',
  ),
  TEMPORAL_TLS_CERT_FILE: optional(
    text,
    'PEM: our client certificate with its chain, if Temporal requires one.',
  ),
  TEMPORAL_TLS_KEY_FILE: optional(text, 'PEM file: the key of the client certificate.'),
  TEMPORAL_TLS_SERVER_NAME: optional(
    text,
    'The name in Temporal’s certificate, if it differs from its address.',
  ),
  HOST: defaulting('127.0.0.1', text, 'The address on which the API and the portal listen.'),
  PORT: defaulting(3000, port, 'The port on which the API listens.'),
  ADMIN_HOST: defaulting(
    '127.0.0.1',
    text,
    'The address on which `/admin/v1` and `/metrics` listen. Keep it away from public load balancers.',
  ),
  ADMIN_PORT: defaulting(3002, port, 'The port on which `/admin/v1` listens.'),
  PORTAL_PORT: defaulting(3001, port, 'The port on which the portal listens.'),
  PORTAL_URL: optional(
    origin,
    "The portal's public address, used in links. Without it, `http://localhost:PORTAL_PORT`. With `https:` its cookies are sent over HTTPS only. Passkeys belong to its host, and there are none at an IP address.",
  ),
  PORTAL_API_URL: optional(
    url('http', 'https'),
    "Where the portal's test console reaches the API. Without it, `http://127.0.0.1:PORT`.",
  ),
  FOUR_EYES: defaulting(
    'on',
    onOrOff,
    '`off` lets one operator carry out sensitive operations alone; the audit shows permanently that it was off. `npm start` sets it.',
  ),
  FOUR_EYES_REDEMPTION_CENTS: defaulting(
    10_000,
    integer(0),
    'The most that operators may redeem in a day without an approval, in US cents or [as much in another currency](roles.md#two-operators): of one customer, of one partner, and by one operator in total.',
  ),
  FOUR_EYES_REVIEW_CENTS: defaulting(
    10_000,
    integer(0),
    'The most that operators may take back in a day without an approval by upholding refunds of LIVE rewards, counted likewise: of one customer, of one partner, and by one operator in total. A decision on a single LIVE reward worth more needs one, too.',
  ),
  TRUST_PROXY: defaulting(
    0,
    integer(0, 10),
    'Number of proxies in front of the partners’ API that append to `X-Forwarded-For`. With 0, the header is ignored.',
  ),
  PORTAL_TRUST_PROXY: defaulting(0, integer(0, 10), 'The same for the portal.'),
  ADMIN_TRUST_PROXY: defaulting(
    0,
    integer(0, 10),
    'The same for `/admin/v1`, which the partners’ proxies do not lead to.',
  ),
  KEEP_ALIVE_SECONDS: defaulting(
    75,
    integer(1, 3_600),
    'How long idle connections stay open: longer than the load balancer in front keeps them, whose requests would otherwise meet a closing one.',
  ),
  HEADER_BRAND: defaulting(
    'Partner',
    { schema: Joi.string().pattern(/^[A-Za-z][A-Za-z0-9]{0,31}$/), values: 'text' },
    'The word in `X-Partner-Key`, `X-Partner-Timestamp` and `X-Partner-Signature`.',
  ),
  RESPONSE_TIMEOUT_MS: defaulting(
    5_000,
    integer(100, 30_000),
    'After this long, a request gets a 503, or a 408 if its body has not arrived, and can be retried. Longer bodies have more time to arrive.',
  ),
  ADDRESS_RATE_LIMIT_PER_MINUTE: defaulting(
    60_000,
    integer(1),
    'Requests per minute and network address, counted before authentication.',
  ),
  METRICS_PORT: optional(
    port,
    'The port of `/metrics` for Prometheus, which requires no authentication; unset, there is none. Each process on a machine needs its own.',
  ),
  MASTER_KEYS: secret(
    required(
      masterKeys,
      '`id:key` pairs joined by commas, each key 32 bytes in base64, or wrapped by Vault or AWS KMS ([Master keys](master-keys.md)). The first encrypts, all of them decrypt.',
    ),
  ),
  VAULT_ADDR: optional(
    url('https', 'http'),
    'The Vault whose transit engine wraps master keys. For AWS KMS, the variables of the AWS SDK apply.',
  ),
  VAULT_TOKEN: secret(optional(text, 'A token for Vault.')),
  VAULT_ROLE: optional(
    text,
    'Without a token: the role at Vault’s `auth/kubernetes`, for the pod’s service account.',
  ),
  CUSTOMER_HASH_KEY: secret(
    required(
      {
        schema: Joi.string().pattern(/^[A-Za-z0-9+/_-]{43}=?$/, '32 bytes in base64'),
        values: 'text',
      },
      "32 bytes in base64. Derives customers' ids and keys the ledger's hashes; it can never change.",
    ),
  ),
  REQUEST_LOG_RETENTION_DAYS: defaulting(
    400,
    integer(31, 3_660),
    "How long the log of partners' requests is kept; applied by `migrate`. Events, rewards and the ledger are kept forever.",
  ),
  CONTACT_RETENTION_DAYS: defaulting(
    365,
    integer(1, 3_660),
    'Contact details of customers without open rewards are erased after this many days ([Privacy](privacy.md#retention)).',
  ),
  INVOICE_ISSUER_NAME: optional(
    shortText(200),
    "The issuer's registered name. Without it, invoices name no issuer. An invoice keeps what was configured when it was issued.",
  ),
  INVOICE_ISSUER_ADDRESS: optional(
    lines,
    "The issuer's address with its country; a vertical bar starts a new line.",
  ),
  INVOICE_ISSUER_TAX_ID: optional(shortText(50), "The issuer's tax number, such as a VAT number."),
  INVOICE_VAT: optional(
    vat,
    "The issuer's country and its VAT rate in percent, such as `DE 19`. Prices include it ([Billing](../concepts/billing.md#vat)). Without it, invoices say nothing about VAT.",
  ),
  INVOICE_PAYMENT_DETAILS: optional(
    lines,
    'Payment details, such as a bank account; a vertical bar starts a new line.',
  ),
  PAYMENT_REFERENCE_PREFIX: defaulting(
    defaultPaymentReferencePrefix,
    referencePrefix,
    'Up to six capital letters or digits that begin the references of bank transfers: top-ups and paid invoices.',
  ),
  OIDC_ISSUER: optional(
    url('https', 'http'),
    'An OpenID Connect provider at which operators and partners’ teams can sign in ([Single sign-on](roles.md#single-sign-on)).',
  ),
  OIDC_CLIENT_ID: optional(text, 'The client at the provider.'),
  OIDC_CLIENT_SECRET: secret(optional(text, 'The secret of the client.')),
  OIDC_SCOPES: defaulting(
    'openid email profile',
    text,
    'What is asked for; some providers name groups only for another scope.',
  ),
  OIDC_VERIFIES_EMAILS: defaulting(
    'off',
    onOrOff,
    '`on`: the provider verifies every email address without saying so in `email_verified`, as Entra ID may. Whoever can choose an address there unchecked could sign in as somebody else.',
  ),
  OIDC_GROUPS: optional(
    groupRoles,
    'Who may sign in there, and as what at most: `group=role` for operators, `group=prt_…:role` for a partner’s team, separated by commas. Without it, everybody with an account.',
  ),
  OIDC_SIGN_IN_HOURS: defaulting(
    12,
    hours,
    'How many hours a sign-in there counts where the provider decides who gets in (`OIDC_GROUPS`, or `PASSWORD_SIGN_IN=off`): then sessions end, and tokens wait until their user signs in there again.',
  ),
  PASSWORD_SIGN_IN: defaulting(
    'on',
    onOrOff,
    '`off`: people sign in at the provider only, neither with a password nor with an emailed link.',
  ),
  SMTP_URL: secret(
    optional(
      url('smtp', 'smtps'),
      'The mail server. Without it, emails are written to the message folder.',
    ),
  ),
  MAIL_FROM: defaulting('Rewards <rewards@example.com>', text, 'The sender of emails.'),
  SMS_URL: secret(
    optional(
      url('twilio', 'https', 'http'),
      'The gateway for text messages: `twilio://<account sid>:<auth token>@api.twilio.com`, or the URL of another, including user and password. Without it, they are written to the message folder.',
    ),
  ),
  SMS_FROM: defaulting(
    'Rewards',
    text,
    'The sender of text messages: a number, a name, or a Twilio messaging service.',
  ),
  WEBHOOK_ALLOW_LOOPBACK: defaulting(
    'off',
    onOrOff,
    '`on` allows TEST webhook endpoints and shops on this machine, also over HTTP. `npm start` sets it.',
  ),
  WEBHOOK_PROXY_URL: secret(
    optional(
      url('http', 'https'),
      'A forward proxy that webhooks are sent and shops asked through, by `CONNECT`; may include user and password. Without it, they are sent directly.',
    ),
  ),
  OPERATOR_WEBHOOK_URL: secret(
    optional(
      url('http', 'https'),
      'A webhook that notifies operators of what waits for them, such as a chat or a pager; it may be within the network. Without it, they are notified by email only.',
    ),
  ),
  OPERATOR_WEBHOOK_SECRET: secret(
    optional(
      {
        schema: Joi.string()
          .pattern(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/)
          .messages({
            'string.pattern.base': '{#label} must be whsec_ and base64 of at least 24 bytes',
          }),
        values: 'text',
      },
      'The secret that this webhook is signed with: `whsec_` and base64 of at least 24 bytes. Required with the URL.',
    ),
  ),
  MESSAGE_DIR: defaulting(
    '.data/messages',
    text,
    'The message folder: where emails are written as `.eml` files and text messages as `.txt`. Two services must not share it: workers delete messages to erased customers from it.',
  ),
  COMMAND_BUNDLE: optional(
    text,
    "The partners' command as one file, built ahead of time. Without it, the portal bundles it when it is first asked for.",
  ),
  CLIENT_PACKAGES: optional(
    text,
    "The folder of the clients' packages, built ahead of time. Without it, the portal serves none.",
  ),
  WORKFLOW_BUNDLE: optional(
    text,
    'A workflow bundle built ahead of time. Without it, the worker bundles at start.',
  ),
  RECONCILE_AFTER_SECONDS: defaulting(
    300,
    integer(0, 86_400),
    'The recovery of workflows checks open rewards that have not changed for this long.',
  ),
  AUDIT_LOG: optional(
    text,
    "A file to which audits append their checkpoints, the daily signing its tree heads and new keys, and erasures of customers their lines; without it, they go to the log of the process. A full one gets the time in its name and is kept. Keep it out of the database's reach.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    url('http', 'https'),
    'Where traces are sent, by OTLP over HTTP: `http://collector:4318`. Without it, there are none. OpenTelemetry’s variables for samplers, resources and batches apply, too.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    optional(
      otlpHeaders,
      'Headers sent with the traces, such as an API key: `name=value` pairs joined by commas, values percent-encoded.',
    ),
  ),
  LOG_LEVEL: defaulting(
    'info',
    {
      schema: Joi.string().valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
      values: '`fatal`, `error`, `warn`, `info`, `debug`, `trace`, `silent`',
    },
    'The least severe level that is logged.',
  ),
} satisfies Record<string, Variable>;

type Name = keyof typeof variables;
type Values = {
  [N in Name]: (typeof variables)[N] extends Variable<infer T> ? T : never;
};

const names = Object.keys(variables) as Name[];

/** The variables that are secret: each can be given as a file. */
export const secretVariables: string[] = names.filter((name) => variables[name].isSecret);

const schema = Joi.object<Values>(
  Object.fromEntries(names.map((name) => [name, variables[name].schema])),
)
  .with('INVOICE_ISSUER_ADDRESS', 'INVOICE_ISSUER_NAME')
  .with('INVOICE_ISSUER_TAX_ID', 'INVOICE_ISSUER_NAME')
  .with('INVOICE_PAYMENT_DETAILS', 'INVOICE_ISSUER_NAME')
  .and('OPERATOR_WEBHOOK_URL', 'OPERATOR_WEBHOOK_SECRET')
  .and('OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET')
  .with('OIDC_GROUPS', 'OIDC_ISSUER')
  .and('TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE')
  .options({ abortEarly: false, stripUnknown: true, messages: validationMessages });

const vaultNames = ['VAULT_ADDR', 'VAULT_TOKEN', 'VAULT_ROLE'] as const;
type VaultValues = Pick<Values, (typeof vaultNames)[number]>;
const keySchema = Joi.object<VaultValues & { MASTER_KEYS?: GivenKey[] }>({
  MASTER_KEYS: masterKeys.schema,
  ...Object.fromEntries(vaultNames.map((name) => [name, variables[name].schema])),
}).options({ abortEarly: false, stripUnknown: true, messages: validationMessages });

/** Without what editors add: a byte order mark, and line ends after the value. */
const trimmed = (text: string): string => text.replace(/^\u{feff}/u, '').replace(/[\r\n]+$/, '');

/**
 * Reads the secrets given as files. A file that says `none` stands for
 * an optional secret that is not used.
 * @throws ConfigError if a file cannot be read or is empty, or a secret is given twice
 */
function secretsInFiles(env: NodeJS.ProcessEnv): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of secretVariables) {
    const file = env[`${name}_FILE`];
    if (!file) continue;
    if (env[name]) throw new ConfigError(`Give either ${name} or ${name}_FILE, not both.`);
    try {
      found[name] = trimmed(readFileSync(file, 'utf8'));
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code;
      throw new ConfigError(`${name}_FILE names ${file}, which cannot be read (${why}).`);
    }
    if (found[name] === '') throw new ConfigError(`${name}_FILE names ${file}, which is empty.`);
    if (found[name] === 'none') delete found[name];
  }
  return found;
}

/** The configuration of a process. */
export type Config = ReturnType<typeof loadConfig>;

/**
 * Reads and validates the configuration. Its master keys may still be wrapped.
 * @param env variables by name, usually `process.env`; an empty string counts as absent
 * @throws ConfigError naming every variable that is missing or invalid
 */
export function loadConfig(env: NodeJS.ProcessEnv) {
  const value = read(env, schema);
  return {
    mongodbUri: value.MONGODB_URI,
    temporal: {
      address: value.TEMPORAL_ADDRESS,
      namespace: value.TEMPORAL_NAMESPACE,
      taskQueue: value.TEMPORAL_TASK_QUEUE,
      uiUrl: value.TEMPORAL_UI_URL,
      apiKey: value.TEMPORAL_API_KEY,
      tls: value.TEMPORAL_TLS,
      /** Paths of files whose replacement ends the process; all but the first are PEM. */
      files: {
        apiKey: env.TEMPORAL_API_KEY_FILE || undefined,
        ca: value.TEMPORAL_TLS_CA_FILE,
        certificate: value.TEMPORAL_TLS_CERT_FILE,
        key: value.TEMPORAL_TLS_KEY_FILE,
      },
      serverName: value.TEMPORAL_TLS_SERVER_NAME,
    },
    http: {
      host: value.HOST,
      port: value.PORT,
      trustedProxies: value.TRUST_PROXY,
      keepAliveTimeoutMs: value.KEEP_ALIVE_SECONDS * 1000,
      headerBrand: value.HEADER_BRAND,
      responseTimeoutMs: value.RESPONSE_TIMEOUT_MS,
      addressRateLimitPerMinute: value.ADDRESS_RATE_LIMIT_PER_MINUTE,
    },
    admin: {
      host: value.ADMIN_HOST,
      port: value.ADMIN_PORT,
      trustedProxies: value.ADMIN_TRUST_PROXY,
    },
    portal: {
      host: value.HOST,
      port: value.PORTAL_PORT,
      trustedProxies: value.PORTAL_TRUST_PROXY,
      url: (value.PORTAL_URL ?? `http://localhost:${value.PORTAL_PORT}`).replace(/\/$/, ''),
      apiUrl: (value.PORTAL_API_URL ?? `http://127.0.0.1:${value.PORT}`).replace(/\/$/, ''),
    },
    oidc: oidcOf(value),
    hasPasswords: value.PASSWORD_SIGN_IN === 'on',
    approvals: {
      isOn: value.FOUR_EYES === 'on',
      redemptionCents: value.FOUR_EYES_REDEMPTION_CENTS,
      reviewCents: value.FOUR_EYES_REVIEW_CENTS,
    },
    metrics: { host: value.ADMIN_HOST, port: value.METRICS_PORT },
    masterKeys: value.MASTER_KEYS,
    vault: vaultOf(value),
    customerHashKey: createSecretKey(value.CUSTOMER_HASH_KEY, 'base64'),
    reviewDueMs,
    requestLogRetentionDays: value.REQUEST_LOG_RETENTION_DAYS,
    contactRetentionDays: value.CONTACT_RETENTION_DAYS,
    issuer:
      value.INVOICE_ISSUER_NAME === undefined
        ? null
        : {
            name: value.INVOICE_ISSUER_NAME,
            address: value.INVOICE_ISSUER_ADDRESS ?? null,
            taxId: value.INVOICE_ISSUER_TAX_ID ?? null,
            paymentDetails: value.INVOICE_PAYMENT_DETAILS ?? null,
          },
    vat: value.INVOICE_VAT ?? null,
    paymentReferencePrefix: value.PAYMENT_REFERENCE_PREFIX,
    mail: { smtpUrl: value.SMTP_URL, from: value.MAIL_FROM, messageDir: value.MESSAGE_DIR },
    texts: { smsUrl: value.SMS_URL, from: value.SMS_FROM },
    webhooks: {
      allowLoopback: value.WEBHOOK_ALLOW_LOOPBACK === 'on',
      proxyUrl: value.WEBHOOK_PROXY_URL,
      operators:
        value.OPERATOR_WEBHOOK_URL === undefined || value.OPERATOR_WEBHOOK_SECRET === undefined
          ? undefined
          : { url: value.OPERATOR_WEBHOOK_URL, secret: value.OPERATOR_WEBHOOK_SECRET },
    },
    command: { bundlePath: value.COMMAND_BUNDLE, clientPackages: value.CLIENT_PACKAGES },
    worker: { bundlePath: value.WORKFLOW_BUNDLE },
    reconcileAfterMs: value.RECONCILE_AFTER_SECONDS * 1000,
    tracing: {
      endpoint: value.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, ''),
      headers: value.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    },
    auditLog: value.AUDIT_LOG,
    log: { level: value.LOG_LEVEL },
  };
}

/** Reads only what the keys take, with which the first one is made. @throws ConfigError */
export function loadKeyConfig(env: NodeJS.ProcessEnv) {
  const value = read(env, keySchema);
  return { masterKeys: value.MASTER_KEYS ?? [], vault: vaultOf(value) };
}

function read<T>(env: NodeJS.ProcessEnv, of: Joi.ObjectSchema<T>): T {
  const all = { ...env, ...secretsInFiles(env) };
  const given = Object.fromEntries(
    Object.entries(all)
      .map(([name, value = '']) => [name, trimmed(value)] as const)
      .filter(([, value]) => value !== ''),
  );
  const torn = secretVariables.filter((name) => /[\r\n]/.test(given[name] ?? ''));
  const { value, error } = of.validate(given);
  const problems = [
    ...torn.map((name) => `"${name}" has a line break within it`),
    ...(error?.details.flatMap(({ message, path }) =>
      torn.includes(String(path[0])) ? [] : [message],
    ) ?? []),
  ];
  if (problems.length === 0) return value as T;
  throw new ConfigError(`The configuration is not valid:\n  ${problems.join('\n  ')}`);
}

function vaultOf(value: VaultValues) {
  return {
    address: value.VAULT_ADDR?.replace(/\/$/, ''),
    token: value.VAULT_TOKEN,
    role: value.VAULT_ROLE,
    jwtFile: serviceAccountTokenFile,
  };
}

function oidcOf(value: Values) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = value;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    if (value.PASSWORD_SIGN_IN === 'on') return null;
    throw new ConfigError(
      'PASSWORD_SIGN_IN is off, which needs OIDC_ISSUER: nobody could sign in.',
    );
  }
  const { hostname, protocol } = new URL(issuer);
  if (protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) {
    throw new ConfigError('OIDC_ISSUER must begin with https://, except on this machine.');
  }
  const { OIDC_SCOPES: scopes, OIDC_GROUPS: groups = null } = value;
  const verifiesEmails = value.OIDC_VERIFIES_EMAILS === 'on';
  const signInMs = value.OIDC_SIGN_IN_HOURS * 3_600_000;
  return { issuer, clientId, clientSecret, scopes, groups, verifiesEmails, signInMs };
}

/** Parses `name=value,name=value` with percent-encoded values. @throws Error for anything else */
function parseOtlpHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const { name, value } = otlpHeaderPattern.exec(pair.trim())?.groups ?? {};
      if (!name || !value) throw new Error('not a pair of name and value');
      return [name, decodeURIComponent(value)];
    }),
  );
}
