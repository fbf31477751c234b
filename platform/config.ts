import { createSecretKey, type KeyObject } from 'node:crypto';
import Joi from 'joi';
import type { FourEyes } from '../domain/four-eyes.ts';

/** Everything a process may be told from outside. The README lists each variable with its meaning. */
export interface Config {
  mongodbUri: string;
  temporal: {
    address: string;
    namespace: string;
    taskQueue: string;
    uiUrl: string;
    apiKey: string | undefined;
    tls: boolean;
  };
  http: {
    host: string;
    port: number;
    /** How many proxies of ours stand before the API. */
    trustedProxies: number;
    headerBrand: string;
    answerTimeoutMs: number;
    credentialCacheMs: number;
    addressRateLimitPerMinute: number;
  };
  /**
   * Where the pages are, the public address that links in mails lead to, and where the portal itself
   * reaches the API.
   */
  portal: { host: string; port: number; url: string; apiUrl: string };
  /** Where operators reach `/admin/v1`: a listener that no public load balancer leads to. */
  admin: { host: string; port: number; tokenDays: number };
  fourEyes: FourEyes;
  /** Where metrics are served; a port left out serves none. */
  metrics: { host: string; port: number | undefined };
  /** A purchase whose workflow has not begun by then makes the service's status a failure. */
  workflowWaitLimitMs: number;
  masterKeys: MasterKey[];
  customerHashKey: KeyObject;
  reviewDueMs: number;
  integrationEventRetentionDays: number;
  /** After so long, contacts of customers without open business are erased. */
  contactRetentionDays: number;
  mail: { smtpUrl: string | undefined; from: string; outboxDir: string };
  worker: {
    bundlePath: string | undefined;
    maxConcurrentWorkflowTasks: number;
    maxConcurrentActivities: number;
    maxConcurrentLocalActivities: number;
    maxSlowActivities: number;
    maxCachedWorkflows: number;
    drainMs: number;
  };
  /** Starts of purchase workflows behind the answer, in each API process. */
  starter: { maxInFlight: number; maxWaiting: number };
  /** Starts of those that are still marked, in each worker process. */
  sweep: { afterMs: number; maxInFlight: number; maxUnbegun: number };
  /** What is open and last changed so long ago, so many a second; and how it is started where it does not run. */
  reconciliation: {
    afterMs: number;
    perSecond: number;
    maxInFlight: number;
    maxUnbegun: number;
  };
  /** The file that checkpoints of the audit are appended to; without one, they are logged. */
  auditLog: string | undefined;
  log: { level: string; format: 'json' | 'pretty' };
}

export interface MasterKey {
  id: string;
  key: KeyObject;
}

/** A variable is missing or wrong; the message names it and says what it should be. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const keyPattern = /^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/_-]{43}=?$/;

const schema = Joi.object({
  MONGODB_URI: Joi.string()
    .uri({ scheme: ['mongodb', 'mongodb+srv'] })
    .required(),
  TEMPORAL_ADDRESS: Joi.string().required(),
  TEMPORAL_NAMESPACE: Joi.string().default('default'),
  TEMPORAL_TASK_QUEUE: Joi.string().default('purchases'),
  TEMPORAL_UI_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .default('http://127.0.0.1:8233'),
  TEMPORAL_API_KEY: Joi.string(),
  TEMPORAL_TLS: Joi.boolean().default(false),
  HOST: Joi.string().default('127.0.0.1'),
  PORT: Joi.number().port().default(3000),
  ADMIN_HOST: Joi.string().default('127.0.0.1'),
  ADMIN_PORT: Joi.number().port().default(3002),
  PORTAL_HOST: Joi.string().default('127.0.0.1'),
  PORTAL_PORT: Joi.number().port().default(3001),
  PORTAL_URL: Joi.string().uri({ scheme: ['http', 'https'] }),
  PORTAL_API_URL: Joi.string().uri({ scheme: ['http', 'https'] }),
  OPERATOR_TOKEN_DAYS: Joi.number().integer().min(1).max(366).default(90),
  FOUR_EYES: Joi.string().valid('on', 'off').default('on'),
  FOUR_EYES_REDEMPTION_POINTS: Joi.number().integer().min(0).default(10_000),
  FOUR_EYES_REVIEW_CENTS: Joi.number().integer().min(0).default(10_000),
  TRUST_PROXY: Joi.number().integer().min(0).max(10).default(0),
  HEADER_BRAND: Joi.string()
    .pattern(/^[A-Za-z][A-Za-z0-9]{0,31}$/)
    .default('Partner'),
  ANSWER_TIMEOUT_MS: Joi.number().integer().min(100).max(30_000).default(5_000),
  CREDENTIAL_CACHE_MS: Joi.number().integer().min(0).max(10_000).default(2_000),
  ADDRESS_RATE_LIMIT_PER_MINUTE: Joi.number().integer().min(1).default(60_000),
  METRICS_HOST: Joi.string().default('127.0.0.1'),
  METRICS_PORT: Joi.number().port(),
  WORKFLOW_WAIT_LIMIT_SECONDS: Joi.number().integer().min(1).max(86_400).default(60),
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
      'masterKeys.id':
        '"MASTER_KEYS" must give each key an id of its own: what is sealed names its key by the id',
    }),
  CUSTOMER_HASH_KEY: Joi.string()
    .pattern(/^[A-Za-z0-9+/_-]{43}=?$/, '32 bytes in base64')
    .required(),
  REVIEW_DUE_HOURS: Joi.number()
    .positive()
    .max(24 * 366)
    .default(72),
  INTEGRATION_EVENT_RETENTION_DAYS: Joi.number().integer().min(31).max(3_660).default(400),
  CONTACT_RETENTION_DAYS: Joi.number().integer().min(1).max(3_660).default(365),
  SMTP_URL: Joi.string().uri({ scheme: ['smtp', 'smtps'] }),
  MAIL_FROM: Joi.string().default('Rewards <rewards@example.com>'),
  OUTBOX_DIR: Joi.string().default('.data/outbox'),
  WORKFLOW_BUNDLE: Joi.string(),
  WORKER_MAX_WORKFLOW_TASKS: Joi.number().integer().min(2).default(100),
  WORKER_MAX_ACTIVITIES: Joi.number().integer().min(1).default(100),
  WORKER_MAX_LOCAL_ACTIVITIES: Joi.number().integer().min(1).default(100),
  WORKER_MAX_CACHED_WORKFLOWS: Joi.number().integer().min(10).default(50),
  WORKER_MAX_SLOW_ACTIVITIES: Joi.number().integer().min(1).default(20),
  STARTS_IN_FLIGHT: Joi.number().integer().min(1).max(1_000).default(4),
  STARTS_WAITING: Joi.number().integer().min(0).max(100_000).default(16),
  SWEEP_AFTER_MS: Joi.number().integer().min(0).default(2_000),
  SWEEP_UNBEGUN: Joi.number().integer().min(1).max(10_000).default(50),
  RECONCILE_AFTER_SECONDS: Joi.number().integer().min(0).max(86_400).default(300),
  RECONCILE_PER_SECOND: Joi.number().integer().min(1).max(10_000).default(100),
  WORKER_DRAIN_MS: Joi.number().integer().min(0).default(10_000),
  AUDIT_LOG: Joi.string(),
  LOG_LEVEL: Joi.string()
    .valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .default('info'),
  LOG_FORMAT: Joi.string().valid('json', 'pretty').default('json'),
}).options({ abortEarly: false, stripUnknown: true });

/**
 * Reads and checks the configuration.
 * @param env variables by name, usually `process.env`; an empty string counts as absent
 * @throws ConfigError naming every variable that is missing or wrong
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const { value, error } = schema.validate(given);
  if (error) {
    const problems = error.details.map((detail) => `  ${detail.message}`).join('\n');
    throw new ConfigError(`The configuration is not usable:\n${problems}`);
  }
  return {
    mongodbUri: value.MONGODB_URI,
    temporal: {
      address: value.TEMPORAL_ADDRESS,
      namespace: value.TEMPORAL_NAMESPACE,
      taskQueue: value.TEMPORAL_TASK_QUEUE,
      uiUrl: value.TEMPORAL_UI_URL,
      apiKey: value.TEMPORAL_API_KEY,
      tls: value.TEMPORAL_TLS,
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
    fourEyes: {
      isOn: value.FOUR_EYES === 'on',
      redemptionPoints: value.FOUR_EYES_REDEMPTION_POINTS,
      reviewCents: value.FOUR_EYES_REVIEW_CENTS,
    },
    metrics: { host: value.METRICS_HOST, port: value.METRICS_PORT },
    workflowWaitLimitMs: value.WORKFLOW_WAIT_LIMIT_SECONDS * 1000,
    masterKeys: parseMasterKeys(value.MASTER_KEYS),
    customerHashKey: createSecretKey(value.CUSTOMER_HASH_KEY, 'base64'),
    reviewDueMs: Math.round(value.REVIEW_DUE_HOURS * 3_600_000),
    integrationEventRetentionDays: value.INTEGRATION_EVENT_RETENTION_DAYS,
    contactRetentionDays: value.CONTACT_RETENTION_DAYS,
    mail: { smtpUrl: value.SMTP_URL, from: value.MAIL_FROM, outboxDir: value.OUTBOX_DIR },
    worker: {
      bundlePath: value.WORKFLOW_BUNDLE,
      maxConcurrentWorkflowTasks: value.WORKER_MAX_WORKFLOW_TASKS,
      maxConcurrentActivities: value.WORKER_MAX_ACTIVITIES,
      maxConcurrentLocalActivities: value.WORKER_MAX_LOCAL_ACTIVITIES,
      maxSlowActivities: value.WORKER_MAX_SLOW_ACTIVITIES,
      maxCachedWorkflows: value.WORKER_MAX_CACHED_WORKFLOWS,
      drainMs: value.WORKER_DRAIN_MS,
    },
    starter: { maxInFlight: value.STARTS_IN_FLIGHT, maxWaiting: value.STARTS_WAITING },
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
    auditLog: value.AUDIT_LOG,
    log: { level: value.LOG_LEVEL, format: value.LOG_FORMAT },
  };
}

/** `id:base64,id:base64`: the first key seals, every key opens. */
function parseMasterKeys(text: string): MasterKey[] {
  return text.split(',').map((part) => {
    const [id = '', key = ''] = part.split(':');
    return { id, key: createSecretKey(key, 'base64') };
  });
}
