import type { KeyObject } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Client } from '@temporalio/client';
import { type Checkpoints, createCheckpoints } from '../../audit/checkpoints.ts';
import type { Mode } from '../../domain/mode.ts';
import {
  isMail,
  type Mail,
  type Message,
  type SendMessage,
  type TextMessage,
} from '../../messaging/message.ts';
import { type Commit, createCommit } from '../../models/commit.ts';
import { ledgerKey } from '../../models/ledger/index.ts';
import { isDue } from '../../models/schemas/due.ts';
import { createModels, type Models } from '../../models/schemas/index.ts';
import type { Scope } from '../../models/schemas/integrations.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { EarningRuleDoc } from '../../models/schemas/rules.ts';
import { createFirstOperator } from '../../operations/operators.ts';
import { type Config, loadConfig } from '../../platform/config.ts';
import { newId } from '../../platform/ids.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { createSealer, type Sealer } from '../../platform/sealing.ts';
import type * as Connection from '../../temporal/connection.ts';
import type * as Messages from '../../temporal/messenger.ts';
import type { Messenger } from '../../temporal/messenger.ts';
import { allDue } from './due.ts';
import { eventually } from './eventually.ts';
import { topUpAsOperator } from './ledger-operations.ts';
import { approved } from './live-partner.ts';
import { operate } from './operate.ts';
import { PartnerBackend, type Reply, toReply } from './partner-backend.ts';
import { patienceMs } from './patience.ts';
import './servers.ts';

/** A running service: its addresses and database, and the dependencies of its processes. */
interface Parts {
  /** Its environment variables. */
  env: Record<string, string>;
  baseUrl: string;
  adminUrl: string;
  /** The base URL of its pages. */
  portalUrl(): Promise<string>;
  config: Config;
  models: Models;
  commit: Commit;
  hashKey: KeyObject;
  checkpoints: Checkpoints;
  messenger: Messenger;
  temporal: Client;
  sealer: Sealer;
  sendMessage: SendMessage;
  /** The token of an operator with the role admin. */
  adminToken: string;
  /** The emails that it sent, oldest first, including those for other tests. */
  readonly mails: readonly Mail[];
  /** The text messages that it sent, oldest first, including those for other tests. */
  readonly texts: readonly TextMessage[];
}

/** What a test can do with a running service. */
export interface ServiceClient {
  /** The URL of a claim link. */
  claimLink(token: string): Promise<string>;
  /** Opens a claim link and requests JSON. */
  openClaim(token: string, method?: string): Promise<Reply>;
  /** Claims a reward as its customer does. */
  claim(token: string): Promise<Reply>;
  /** Waits until the workflows of all recorded purchases of a partner have started. */
  allStarted(of: { partnerId: string }): Promise<void>;
  /** Waits until the workflows have acted on all that happened to a partner's rewards. */
  carriedOut(of: { partnerId: string }): Promise<void>;
  /** The reward of a recorded purchase, once its workflow has created it. */
  rewardOf(rewardId: string): Promise<RewardDoc>;
  /** Creates a partner with an integration, a TEST credential and an active rule; all can be changed. */
  partner(overrides?: PartnerOverrides): Promise<PartnerBackend>;
}

export interface Service extends Parts, ServiceClient {
  /** Waits until the API's buffers are written: the request log and refused requests. */
  flushed(): Promise<void>;
  stop(): Promise<void>;
}

/** What the run's service (`run-service.ts`) tells the tests. */
export interface RunningService {
  /** Its environment variables. */
  env: Record<string, string>;
  baseUrl: string;
  adminUrl: string;
  portalUrl: string;
  /** A line of JSON for each message that it sent. */
  mailFile: string;
}

/**
 * Connects to the run's service, which all files share that neither configure nor stop it. Each test
 * creates its own partner, and relies on nothing of other tests. Files that need more start their own
 * service (`own-service.ts`).
 */
export async function startService(): Promise<Service> {
  const control = process.env.TEST_SERVICE ?? '';
  const { env, baseUrl, adminUrl, portalUrl, mailFile } = await askService(control);
  const config = loadConfig(env);
  const models = createModels(await connectMongo(config.mongodbUri));
  const admin = { name: 'Ada', role: 'admin' as const };
  const { token: adminToken } = await operate(
    { models, now: Date.now },
    createFirstOperator,
    admin,
  );
  const hashKey = ledgerKey(config.customerHashKey);
  const lazyTemporal = once(() => openTemporal(config));
  const messages = readMessages(mailFile);
  const parts = {
    env,
    baseUrl,
    adminUrl,
    config,
    models,
    adminToken,
    portalUrl: async () => portalUrl,
    hashKey,
    commit: createCommit({ models, hashKey, now: Date.now, patienceMs }),
    checkpoints: createCheckpoints(config.customerHashKey),
    sealer: createSealer(config.masterKeys),
    sendMessage: async (mail: Message) => appendFileSync(mailFile, `${JSON.stringify(mail)}\n`),
  };
  return {
    ...parts,
    ...serviceClient(parts),
    get temporal() {
      return lazyTemporal.get().temporal;
    },
    get messenger() {
      return lazyTemporal.get().messenger;
    },
    get mails() {
      return messages().filter(isMail);
    },
    get texts() {
      return messages().filter((one) => !isMail(one));
    },
    async flushed() {
      await askService(control, 'POST');
    },
    async stop() {
      await lazyTemporal.made()?.stop();
      await models.connection.close();
    },
  };
}

/** @param method POST to wait until the API's buffers are written */
async function askService(control: string, method = 'GET'): Promise<RunningService> {
  const response = await fetch(control, { method });
  const text = await response.text();
  if (!response.ok) throw new Error(`The service that tests share answered: ${text}`);
  return JSON.parse(text);
}

const load = createRequire(import.meta.url);

/** Connects to Temporal. The SDK is loaded on demand: most files don't need it, and it is half of their code. */
function openTemporal({ temporal: address }: Config) {
  const { connectTemporal } = load('../../temporal/connection.ts') as typeof Connection;
  const { createMessenger } = load('../../temporal/messenger.ts') as typeof Messages;
  const temporal = connectTemporal(address);
  const messenger = createMessenger(temporal, address.taskQueue);
  return {
    temporal,
    messenger,
    async stop() {
      await temporal.connection.close();
    },
  };
}

/** Creates a value at its first use. */
function once<T>(make: () => T) {
  let made: T | undefined;
  return {
    get(): T {
      made ??= make();
      return made;
    },
    made: (): T | undefined => made,
  };
}

/** Reads a growing file of messages. Each call reads only the new lines. */
function readMessages(path: string): () => readonly Message[] {
  const messages: Message[] = [];
  let readBytes = 0;
  return () => {
    if (!existsSync(path)) return messages;
    const file = openSync(path, 'r');
    try {
      const added = Buffer.alloc(fstatSync(file).size - readBytes);
      const lines = added.subarray(0, readSync(file, added, 0, added.length, readBytes));
      const end = lines.lastIndexOf('\n') + 1;
      readBytes += end;
      for (const line of lines.toString('utf8', 0, end).split('\n').slice(0, -1)) {
        messages.push(JSON.parse(line));
      }
    } finally {
      closeSync(file);
    }
    return messages;
  };
}

export function serviceClient(
  parts: Pick<Parts, 'baseUrl' | 'portalUrl' | 'models' | 'commit' | 'sealer'>,
): ServiceClient {
  const { models, portalUrl } = parts;
  const claimLink = async (token: string) => `${await portalUrl()}/claim/${token}`;
  const openClaim = async (token: string, method = 'GET'): Promise<Reply> => {
    const headers = { accept: 'application/json' };
    return toReply(await fetch(await claimLink(token), { method, headers }));
  };
  return {
    claimLink,
    openClaim,
    claim: (token) => openClaim(token, 'POST'),
    async allStarted({ partnerId }) {
      const look = async () => !(await models.orderEvents.exists({ partnerId, ...isDue }));
      await eventually(look, 'the workflows of all purchases have started');
    },
    async carriedOut({ partnerId }) {
      const look = async () => (await allDue(models, partnerId)).length === 0;
      await eventually(look, 'nothing is due');
    },
    rewardOf: (rewardId) =>
      eventually(() => models.rewards.findById(rewardId), `${rewardId} is created`),
    partner: (overrides = {}) => makePartner(parts, overrides),
  };
}

export interface PartnerOverrides {
  partner?: Partial<PartnerDoc>;
  mode?: Mode;
  scopes?: Scope[];
  /** Null for a partner without an active rule. */
  rule?: Partial<EarningRuleDoc> | null;
  /** Top-up of the wallet of its mode. By default LIVE has no funds, and TEST needs none. */
  fundingCents?: number;
}

async function makePartner(
  {
    models,
    commit,
    sealer,
    baseUrl,
  }: { models: Models; commit: Commit; sealer: Sealer; baseUrl: string },
  {
    partner,
    mode = 'TEST',
    scopes = ['events:write', 'events:read'],
    rule = {},
    fundingCents = 0,
  }: PartnerOverrides,
): Promise<PartnerBackend> {
  const partnerId = newId('partner');
  const integrationId = newId('integration');
  const createdAt = new Date();
  await models.partners.create({
    _id: partnerId,
    name: 'Corner Shop',
    status: 'ACTIVE',
    goLive: approved,
    legalName: null,
    website: null,
    supportEmail: null,
    goLiveMinimumFundingCents: 0,
    country: 'US',
    timeZone: 'UTC',
    apiRateLimitPerMinute: 100_000,
    currency: 'USD',
    contactEmail: null,
    lowBalanceThresholdCents: 0,
    createdAt,
    ...partner,
  });
  await models.integrations.create({ _id: integrationId, partnerId, name: 'web shop', createdAt });
  if (fundingCents > 0) {
    const wallet = { partnerId, mode };
    await topUpAsOperator({ models, commit }, wallet, fundingCents, 'first funds');
  }
  const backend = new PartnerBackend({ baseUrl, partnerId, integrationId, mode, scopes });
  await backend.addCredential(models, sealer);
  if (rule !== null) await activateRule(models, { partnerId, mode, ...rule });
  return backend;
}

/** Stores a rule version (by default 10 points per 1.00, P30D) and activates it. */
export async function activateRule(
  models: Models,
  { kind = 'PER_AMOUNT', ...rule }: Partial<EarningRuleDoc> & { partnerId: string; mode: Mode },
): Promise<string> {
  const ruleId = newId('rule');
  const doc = {
    integrationId: null,
    currency: 'USD',
    kind,
    points: 10,
    ...(kind === 'PER_AMOUNT' && { unitCents: 100 }),
    minimumOrderCents: 0,
    multiplier: 1,
    campaign: null,
    capPerOrderPoints: null,
    capPerCustomerDayPoints: null,
    claimWindow: 'P30D',
    pointValueMicros: 10_000,
    createdAt: new Date(),
    ...rule,
    _id: ruleId,
  };
  await models.earningRules.create(doc);
  const { partnerId, mode, currency, integrationId } = doc;
  const seq =
    1 + (await models.ruleActivations.countDocuments({ partnerId, mode, currency, integrationId }));
  await models.ruleActivations.create({
    _id: newId('activation'),
    partnerId,
    mode,
    currency,
    integrationId,
    seq,
    ruleId,
    activatedAt: new Date(),
  });
  return ruleId;
}
