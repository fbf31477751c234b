import { createSecretKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Joi from 'joi';
import type { InvoiceIssuer } from '../domain/billing.ts';
import type { ApprovalConfig } from '../domain/operators.ts';
import { mongoUriProblem } from './mongo.ts';
import { validationMessages } from './validation.ts';

/** The configuration of a process. */
export interface Config {
  mongodbUri: string;
  temporal: {
    address: string;
    namespace: string;
    /** How long closed workflows are kept in a namespace that `migrate` creates. */
    retentionDays: number;
    taskQueue: string;
    uiUrl: string;
    apiKey: string | undefined;
    tls: boolean;
    /** Paths of files that may be replaced while the process runs; all but the first are PEM. */
    files: Record<'apiKey' | 'ca' | 'certificate' | 'key', string | undefined>;
    /** The name in Temporal's certificate, if it differs from the address. */
    serverName: string | undefined;
  };
  http: {
    host: string;
    port: number;
    /** How many of our proxies are in front of the API. */
    trustedProxies: number;
    headerBrand: string;
    answerTimeoutMs: number;
    credentialCacheMs: number;
    addressRateLimitPerMinute: number;
  };
  /**
   * The address that the portal listens on, its public URL for links in emails, and the URL at
   * which the portal reaches the API.
   */
  portal: { host: string; port: number; url: string; apiUrl: string };
  /** The listener for operators, `/admin/v1`, which no public load balancer must lead to. */
  admin: { host: string; port: number; tokenDays: number };
  approvals: ApprovalConfig;
  /** Where metrics are served; without a port, they are not. */
  metrics: { host: string; port: number | undefined };
  /** The service's status is a failure once a purchase has waited longer for its workflow. */
  workflowWaitLimitMs: number;
  masterKeys: MasterKey[];
  customerHashKey: KeyObject;
  reviewDueMs: number;
  integrationEventRetentionDays: number;
  /** After this long, the contacts of customers without open rewards are erased. */
  contactRetentionDays: number;
  /** The issuer of invoices; null if not configured. */
  issuer: InvoiceIssuer | null;
  mail: { smtpUrl: string | undefined; from: string; outboxDir: string };
  texts: { smsUrl: string | undefined; from: string };
  /** Whether TEST webhooks may be sent to this machine. */
  webhooks: {
    allowLoopback: boolean;
    /** The forward proxy that webhooks are sent through, if any. */
    proxyUrl: string | undefined;
    /** The operators' own webhook endpoint, if any. */
    operators: { url: string; secret: string } | undefined;
  };
  worker: {
    bundlePath: string | undefined;
    /**
     * Whether workflows only use patches that their history already contains (docs/decisions/004).
     */
    arePatchesHeld: boolean;
    maxConcurrentWorkflowTasks: number;
    maxConcurrentActivities: number;
    maxConcurrentLocalActivities: number;
    maxSlowActivities: number;
    maxCachedWorkflows: number;
    drainMs: number;
  };
  /** Starts and signals for what is still pending, in each worker process. */
  sweep: { afterMs: number; maxInFlight: number; maxUnbegun: number };
  /** Which open rewards are checked, how many a second, and how missing workflows are started. */
  reconciliation: {
    afterMs: number;
    perSecond: number;
    maxInFlight: number;
    maxUnbegun: number;
  };
  /** The OTLP/HTTP endpoint that traces are sent to; undefined for none. */
  tracing: { endpoint: string | undefined; headers: Record<string, string> };
  /** The file that audit checkpoints are appended to; without it, they are logged. */
  auditLog: string | undefined;
  log: { level: string };
}

export interface MasterKey {
  id: string;
  key: KeyObject;
}

/** A variable is missing or invalid; the message names it and says what is expected. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const otlpHeaderPattern = /^(?<name>[A-Za-z0-9_-]+)=(?<value>[\x21-\x7e]+)$/;

const keyPattern = /^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/_-]{43}=?$/;

/**
 * Can be given as a file instead, as orchestrators provide secrets, in the variable `NAME_FILE`.
 */
const inFile = { mayBeInFile: true };

/** Several lines of text in one variable. */
const linesField = Joi.string().trim().max(500);

/**
 * All variables with their values, defaults and descriptions. docs/configuration.md is generated
 * from it.
 */
export const configSchema = Joi.object({
  MONGODB_URI: Joi.string()
    .custom((value: string, { error }) => {
      const problem = mongoUriProblem(value);
      return problem === undefined ? value : error('mongodbUri', { problem });
    }, '`mongodb://`, `mongodb+srv://`')
    .messages({ mongodbUri: '"MONGODB_URI" is not a valid MongoDB URI: {#problem}' })
    .required()
    .meta(inFile)
    .description(
      'The database, named in the URI. MongoDB 4.4 or newer. If set, `npm start` starts no MongoDB.',
    ),
  TEMPORAL_ADDRESS: Joi.string()
    .required()
    .description('`host:port` of the Temporal frontend. If set, `npm start` starts no Temporal.'),
  TEMPORAL_NAMESPACE: Joi.string()
    .default('default')
    .description('Created by migrate if it does not exist.'),
  TEMPORAL_RETENTION_DAYS: Joi.number()
    .integer()
    .min(1)
    .max(3_650)
    .default(30)
    .description(
      'Retention of closed workflows, in days, of a namespace that `migrate` creates. An existing one keeps its setting.',
    ),
  TEMPORAL_TASK_QUEUE: Joi.string()
    .default('purchases')
    .description('The task queue; must be the same for API, portal, worker and migrate.'),
  TEMPORAL_UI_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .default('http://127.0.0.1:8233')
    .description('The Temporal UI, for links to workflows.'),
  TEMPORAL_API_KEY: Joi.string().meta(inFile).description('API key for Temporal Cloud.'),
  TEMPORAL_TLS: Joi.boolean()
    .default(false)
    .description('TLS to Temporal. Any of the files below also turns it on.'),
  TEMPORAL_TLS_CA_FILE: Joi.string().description(
    'PEM: the CA of Temporal’s certificate, if the system does not trust it already.',
  ),
  TEMPORAL_TLS_CERT_FILE: Joi.string().description(
    'PEM: our client certificate with its chain, if Temporal requires one.',
  ),
  TEMPORAL_TLS_KEY_FILE: Joi.string().description('PEM file: the key of the client certificate.'),
  TEMPORAL_TLS_SERVER_NAME: Joi.string().description(
    'The name in Temporal’s certificate, if it differs from its address.',
  ),
  HOST: Joi.string().default('127.0.0.1').description('The address on which the API listens.'),
  PORT: Joi.number().port().default(3000).description('The port on which the API listens.'),
  ADMIN_HOST: Joi.string()
    .default('127.0.0.1')
    .description(
      'The address on which `/admin/v1` listens. Keep it away from public load balancers.',
    ),
  ADMIN_PORT: Joi.number()
    .port()
    .default(3002)
    .description('The port on which `/admin/v1` listens.'),
  PORTAL_HOST: Joi.string()
    .default('127.0.0.1')
    .description('The address on which the portal listens.'),
  PORTAL_PORT: Joi.number()
    .port()
    .default(3001)
    .description('The port on which the portal listens.'),
  PORTAL_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description(
      "The portal's public address, used in links. Without it, `http://127.0.0.1:PORTAL_PORT`. With `https:` its cookies are sent over HTTPS only.",
    ),
  PORTAL_API_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description(
      "Where the portal's test console reaches the API. Without it, `http://127.0.0.1:PORT`.",
    ),
  OPERATOR_TOKEN_DAYS: Joi.number()
    .integer()
    .min(1)
    .max(366)
    .default(90)
    .description("How long an operator's token is valid, in days."),
  FOUR_EYES: Joi.string()
    .valid('on', 'off')
    .default('on')
    .description(
      '`off` lets one operator carry out sensitive operations alone; the audit shows permanently that it was off. `npm start` sets it.',
    ),
  FOUR_EYES_REDEMPTION_CENTS: Joi.number()
    .integer()
    .min(0)
    .default(10_000)
    .description(
      'The most that operators may redeem in a day without an approval, in cents: of one customer, of one partner, and by one operator in total.',
    ),
  FOUR_EYES_REVIEW_CENTS: Joi.number()
    .integer()
    .min(0)
    .default(10_000)
    .description(
      'The most that operators may take back in a day without an approval by upholding refunds of LIVE rewards, in cents: of one customer, of one partner, and by one operator in total. A decision on a single LIVE reward worth more needs one, too.',
    ),
  TRUST_PROXY: Joi.number()
    .integer()
    .min(0)
    .max(10)
    .default(0)
    .description(
      'Number of proxies in front of the API that append to `X-Forwarded-For`. With 0, the header is ignored.',
    ),
  HEADER_BRAND: Joi.string()
    .pattern(/^[A-Za-z][A-Za-z0-9]{0,31}$/)
    .default('Partner')
    .description('The word in `X-Partner-Key`, `X-Partner-Timestamp` and `X-Partner-Signature`.'),
  ANSWER_TIMEOUT_MS: Joi.number()
    .integer()
    .min(100)
    .max(30_000)
    .default(5_000)
    .description('After this long, a request gets a 503 and can be retried.'),
  CREDENTIAL_CACHE_MS: Joi.number()
    .integer()
    .min(0)
    .max(10_000)
    .default(2_000)
    .description(
      'How long a credential, its rules and its plan are cached: a revocation takes effect everywhere within this time.',
    ),
  ADDRESS_RATE_LIMIT_PER_MINUTE: Joi.number()
    .integer()
    .min(1)
    .default(60_000)
    .description('Requests per minute and network address, counted before authentication.'),
  METRICS_HOST: Joi.string()
    .default('127.0.0.1')
    .description('The address of the metrics port, which requires no authentication.'),
  METRICS_PORT: Joi.number()
    .port()
    .description(
      'The port of `/metrics` for Prometheus; unset, there is none. Each process on a machine needs its own.',
    ),
  WORKFLOW_WAIT_LIMIT_SECONDS: Joi.number()
    .integer()
    .min(1)
    .max(86_400)
    .default(60)
    .description(
      '`/statusz` returns 503 once a purchase has waited longer than this for its workflow.',
    ),
  MASTER_KEYS: Joi.string()
    .custom((value: string, { error }) => {
      const pairs = value.split(',');
      if (!pairs.every((pair) => keyPattern.test(pair))) return error('masterKeys.format');
      const ids = pairs.map((pair) => pair.split(':')[0]);
      return new Set(ids).size === ids.length ? value : error('masterKeys.id');
    })
    .required()
    .messages({
      'masterKeys.format':
        '"MASTER_KEYS" must be id:key pairs joined by commas, each key 32 bytes in base64',
      'masterKeys.id': '"MASTER_KEYS" must give each key its own id',
    })
    .meta(inFile)
    .description(
      '`id:key` pairs joined by commas, each key 32 bytes in base64. The first encrypts, all of them decrypt.',
    ),
  CUSTOMER_HASH_KEY: Joi.string()
    .pattern(/^[A-Za-z0-9+/_-]{43}=?$/, '32 bytes in base64')
    .required()
    .meta(inFile)
    .description(
      "32 bytes in base64. Derives customers' ids and keys the ledger's hashes; it can never change.",
    ),
  REVIEW_DUE_HOURS: Joi.number()
    .positive()
    .max(24 * 366)
    .default(72)
    .description('Hours until an open review is overdue.'),
  INTEGRATION_EVENT_RETENTION_DAYS: Joi.number()
    .integer()
    .min(31)
    .max(3_660)
    .default(400)
    .description(
      "How long the log of partners' requests is kept; applied by `migrate`. Events, rewards and the ledger are kept forever.",
    ),
  CONTACT_RETENTION_DAYS: Joi.number()
    .integer()
    .min(1)
    .max(3_660)
    .default(365)
    .description(
      'Contact details of customers without open rewards are erased after this many days ([Privacy](privacy.md#retention)).',
    ),
  INVOICE_ISSUER_NAME: Joi.string()
    .trim()
    .max(200)
    .description(
      "The issuer's registered name. Without it, invoices name no issuer. An invoice keeps what was configured when it was issued.",
    ),
  INVOICE_ISSUER_ADDRESS: linesField.description(
    "The issuer's address with its country; a vertical bar starts a new line.",
  ),
  INVOICE_ISSUER_TAX_ID: Joi.string()
    .trim()
    .max(50)
    .description("The issuer's tax number, such as a VAT number."),
  INVOICE_PAYMENT_DETAILS: linesField.description(
    'Payment details, such as a bank account; a vertical bar starts a new line.',
  ),
  SMTP_URL: Joi.string()
    .uri({ scheme: ['smtp', 'smtps'] })
    .meta(inFile)
    .description('The mail server. Without it, emails are written to the outbox.'),
  MAIL_FROM: Joi.string()
    .default('Rewards <rewards@example.com>')
    .description('The sender of emails.'),
  SMS_URL: Joi.string()
    .uri({ scheme: ['twilio', 'https', 'http'] })
    .meta(inFile)
    .description(
      'The gateway for text messages: `twilio://<account sid>:<auth token>@api.twilio.com`, or the URL of another, including user and password. Without it, they are written to the outbox.',
    ),
  SMS_FROM: Joi.string()
    .default('Rewards')
    .description('The sender of text messages: a number, a name, or a Twilio messaging service.'),
  WEBHOOK_ALLOW_LOOPBACK: Joi.string()
    .valid('on', 'off')
    .default('off')
    .description(
      '`on` allows TEST webhook endpoints on this machine, also over HTTP. `npm start` sets it.',
    ),
  WEBHOOK_PROXY_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .meta(inFile)
    .description(
      'A forward proxy that webhooks are sent through, by `CONNECT`; may include user and password. Without it, they are sent directly.',
    ),
  OPERATOR_WEBHOOK_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .meta(inFile)
    .description(
      'A webhook that notifies operators of what waits for them, such as a chat or a pager; it may be within the network. Without it, they are notified by email only.',
    ),
  OPERATOR_WEBHOOK_SECRET: Joi.string()
    .pattern(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/)
    .meta(inFile)
    .messages({
      'string.pattern.base':
        'OPERATOR_WEBHOOK_SECRET must be whsec_ and base64 of at least 24 bytes',
    })
    .description(
      'The secret that this webhook is signed with: `whsec_` and base64 of at least 24 bytes. Required with the URL.',
    ),
  OUTBOX_DIR: Joi.string()
    .default('.data/outbox')
    .description(
      'Where emails are written as `.eml` files and text messages as `.txt`. Two services must not share it: workers delete messages to erased customers from it.',
    ),
  WORKFLOW_BUNDLE: Joi.string().description(
    'A workflow bundle built ahead of time. Without it, the worker bundles at start.',
  ),
  WORKFLOW_PATCHES: Joi.string()
    .valid('active', 'held')
    .default('active')
    .description(
      '`held` while you may roll back to the previous release: workflows use only patches that their history already contains ([Upgrading](running.md#stopping-and-upgrading)).',
    ),
  WORKER_MAX_WORKFLOW_TASKS: Joi.number()
    .integer()
    .min(2)
    .default(100)
    .description('Concurrent workflow tasks.'),
  WORKER_MAX_ACTIVITIES: Joi.number()
    .integer()
    .min(1)
    .default(100)
    .description('Concurrent activities.'),
  WORKER_MAX_LOCAL_ACTIVITIES: Joi.number()
    .integer()
    .min(1)
    .default(100)
    .description("Local activities at a time: the steps of purchases' workflows."),
  WORKER_MAX_CACHED_WORKFLOWS: Joi.number()
    .integer()
    .min(10)
    .default(50)
    .description(
      'Workflows held in memory. The others are replayed from their history when something happens.',
    ),
  WORKER_MAX_SLOW_ACTIVITIES: Joi.number()
    .integer()
    .min(1)
    .default(20)
    .description('Concurrent emails, audits and billing runs, each on a queue of its own.'),
  STARTS_IN_FLIGHT: Joi.number()
    .integer()
    .min(1)
    .max(1_000)
    .default(4)
    .description('Concurrent starts and signals of purchase workflows in each worker process.'),
  SWEEP_AFTER_MS: Joi.number()
    .integer()
    .min(0)
    .default(2_000)
    .description(
      'After this long, a worker takes up a refund or a decision that the process which recorded it has not finished. Rewards that were moved are taken up within 0.3 s.',
    ),
  SWEEP_UNBEGUN: Joi.number()
    .integer()
    .min(1)
    .max(10_000)
    .default(25)
    .description(
      'How many workflows of new purchases the sweep may have started that no worker has picked up yet, for each worker process; and half as many each that it has signalled about rewards, refunds and reviews.',
    ),
  RECONCILE_AFTER_SECONDS: Joi.number()
    .integer()
    .min(0)
    .max(86_400)
    .default(300)
    .description('The reconciliation checks open rewards that have not changed for this long.'),
  RECONCILE_PER_SECOND: Joi.number()
    .integer()
    .min(1)
    .max(10_000)
    .default(100)
    .description('Workflows per second that the reconciliation looks up in Temporal.'),
  WORKER_DRAIN_MS: Joi.number()
    .integer()
    .min(0)
    .default(10_000)
    .description('How long a stopping worker may take to finish its running tasks.'),
  AUDIT_LOG: Joi.string().description(
    "A file to which audits append their checkpoints; without it, they go to the worker's log. Keep it out of the database's reach.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description(
      'Where traces are sent, by OTLP over HTTP: `http://collector:4318`. Without it, there are none. OpenTelemetry’s variables for samplers, resources and batches apply, too.',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: Joi.string()
    .custom((value: string, { error }) => {
      try {
        parseOtlpHeaders(value);
        return value;
      } catch {
        return error('otlpHeaders');
      }
    })
    .messages({
      otlpHeaders: '"OTEL_EXPORTER_OTLP_HEADERS" must be name=value pairs joined by commas',
    })
    .meta(inFile)
    .description(
      'Headers sent with the traces, such as an API key: `name=value` pairs joined by commas, values percent-encoded.',
    ),
  LOG_LEVEL: Joi.string()
    .valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .default('info')
    .description('The least severe level that is logged.'),
})
  .with('INVOICE_ISSUER_ADDRESS', 'INVOICE_ISSUER_NAME')
  .with('INVOICE_ISSUER_TAX_ID', 'INVOICE_ISSUER_NAME')
  .with('INVOICE_PAYMENT_DETAILS', 'INVOICE_ISSUER_NAME')
  .and('OPERATOR_WEBHOOK_URL', 'OPERATOR_WEBHOOK_SECRET')
  .and('TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE')
  .options({ abortEarly: false, stripUnknown: true, messages: validationMessages });

/** The variables that are secret: each can be given as a file. */
export const secretVariables = Object.entries<Joi.Description>(configSchema.describe().keys)
  .filter(([, { metas = [] }]) => metas.some(({ mayBeInFile }) => mayBeInFile))
  .map(([name]) => name);

/**
 * Reads the secrets given as files, without the newline that editors append.
 * @throws ConfigError if a file cannot be read or is empty, or a secret is given twice
 */
function secretsInFiles(env: NodeJS.ProcessEnv): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of secretVariables) {
    const file = env[`${name}_FILE`];
    if (!file) continue;
    if (env[name]) throw new ConfigError(`Give either ${name} or ${name}_FILE, not both.`);
    try {
      found[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code;
      throw new ConfigError(`${name}_FILE names ${file}, which cannot be read (${why}).`);
    }
    if (found[name] === '') throw new ConfigError(`${name}_FILE names ${file}, which is empty.`);
  }
  return found;
}

/**
 * Reads and validates the configuration.
 * @param env variables by name, usually `process.env`; an empty string counts as absent
 * @throws ConfigError naming every variable that is missing or invalid
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const all = { ...env, ...secretsInFiles(env) };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  const { value, error } = configSchema.validate(given);
  if (error) {
    const problems = error.details.map((detail) => `  ${detail.message}`).join('\n');
    throw new ConfigError(`The configuration is not valid:\n${problems}`);
  }
  return {
    mongodbUri: value.MONGODB_URI,
    temporal: {
      address: value.TEMPORAL_ADDRESS,
      namespace: value.TEMPORAL_NAMESPACE,
      retentionDays: value.TEMPORAL_RETENTION_DAYS,
      taskQueue: value.TEMPORAL_TASK_QUEUE,
      uiUrl: value.TEMPORAL_UI_URL,
      apiKey: value.TEMPORAL_API_KEY,
      tls: value.TEMPORAL_TLS,
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
      headerBrand: value.HEADER_BRAND,
      answerTimeoutMs: value.ANSWER_TIMEOUT_MS,
      credentialCacheMs: value.CREDENTIAL_CACHE_MS,
      addressRateLimitPerMinute: value.ADDRESS_RATE_LIMIT_PER_MINUTE,
    },
    admin: {
      host: value.ADMIN_HOST,
      port: value.ADMIN_PORT,
      tokenDays: value.OPERATOR_TOKEN_DAYS,
    },
    portal: {
      host: value.PORTAL_HOST,
      port: value.PORTAL_PORT,
      url: (value.PORTAL_URL ?? `http://127.0.0.1:${value.PORTAL_PORT}`).replace(/\/$/, ''),
      apiUrl: (value.PORTAL_API_URL ?? `http://127.0.0.1:${value.PORT}`).replace(/\/$/, ''),
    },
    approvals: {
      isOn: value.FOUR_EYES === 'on',
      redemptionCents: value.FOUR_EYES_REDEMPTION_CENTS,
      reviewCents: value.FOUR_EYES_REVIEW_CENTS,
    },
    metrics: { host: value.METRICS_HOST, port: value.METRICS_PORT },
    workflowWaitLimitMs: value.WORKFLOW_WAIT_LIMIT_SECONDS * 1000,
    masterKeys: parseMasterKeys(value.MASTER_KEYS),
    customerHashKey: createSecretKey(value.CUSTOMER_HASH_KEY, 'base64'),
    reviewDueMs: Math.round(value.REVIEW_DUE_HOURS * 3_600_000),
    integrationEventRetentionDays: value.INTEGRATION_EVENT_RETENTION_DAYS,
    contactRetentionDays: value.CONTACT_RETENTION_DAYS,
    issuer:
      value.INVOICE_ISSUER_NAME === undefined
        ? null
        : {
            name: value.INVOICE_ISSUER_NAME,
            address: asLines(value.INVOICE_ISSUER_ADDRESS),
            taxId: value.INVOICE_ISSUER_TAX_ID ?? null,
            paymentDetails: asLines(value.INVOICE_PAYMENT_DETAILS),
          },
    mail: { smtpUrl: value.SMTP_URL, from: value.MAIL_FROM, outboxDir: value.OUTBOX_DIR },
    texts: { smsUrl: value.SMS_URL, from: value.SMS_FROM },
    webhooks: {
      allowLoopback: value.WEBHOOK_ALLOW_LOOPBACK === 'on',
      proxyUrl: value.WEBHOOK_PROXY_URL,
      operators:
        value.OPERATOR_WEBHOOK_URL === undefined
          ? undefined
          : { url: value.OPERATOR_WEBHOOK_URL, secret: value.OPERATOR_WEBHOOK_SECRET },
    },
    worker: {
      bundlePath: value.WORKFLOW_BUNDLE,
      arePatchesHeld: value.WORKFLOW_PATCHES === 'held',
      maxConcurrentWorkflowTasks: value.WORKER_MAX_WORKFLOW_TASKS,
      maxConcurrentActivities: value.WORKER_MAX_ACTIVITIES,
      maxConcurrentLocalActivities: value.WORKER_MAX_LOCAL_ACTIVITIES,
      maxSlowActivities: value.WORKER_MAX_SLOW_ACTIVITIES,
      maxCachedWorkflows: value.WORKER_MAX_CACHED_WORKFLOWS,
      drainMs: value.WORKER_DRAIN_MS,
    },
    sweep: {
      afterMs: value.SWEEP_AFTER_MS,
      maxInFlight: value.STARTS_IN_FLIGHT,
      maxUnbegun: value.SWEEP_UNBEGUN,
    },
    reconciliation: {
      afterMs: value.RECONCILE_AFTER_SECONDS * 1000,
      perSecond: value.RECONCILE_PER_SECOND,
      maxInFlight: value.STARTS_IN_FLIGHT,
      maxUnbegun: value.SWEEP_UNBEGUN,
    },
    tracing: {
      endpoint: value.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, ''),
      headers: value.OTEL_EXPORTER_OTLP_HEADERS
        ? parseOtlpHeaders(value.OTEL_EXPORTER_OTLP_HEADERS)
        : {},
    },
    auditLog: value.AUDIT_LOG,
    log: { level: value.LOG_LEVEL },
  };
}

/** Turns `first|second` into two lines. */
const asLines = (text: string | undefined): string | null =>
  text
    ?.split('|')
    .map((line) => line.trim())
    .join('\n') ?? null;

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

/** Parses `id:base64,id:base64`. The first key seals, every key opens. */
function parseMasterKeys(text: string): MasterKey[] {
  return text.split(',').map((part) => {
    const [id = '', key = ''] = part.split(':');
    return { id, key: createSecretKey(key, 'base64') };
  });
}
