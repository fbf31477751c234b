import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { createAdminApp } from '../../api/admin-app.ts';
import { createApp } from '../../api/app.ts';
import {
  createIntegrationEventBuffer,
  type IntegrationEventBuffer,
} from '../../api/integration-event-buffer.ts';
import { createRefusedRequestBuffer } from '../../api/refused-request-buffer.ts';
import type { Mode } from '../../domain/events.ts';
import { walletOf } from '../../domain/events.ts';
import { close, listen } from '../../http/listen.ts';
import { createOperator } from '../../models/commands/create-operator.ts';
import { createLease } from '../../models/leases.ts';
import type { Ledger } from '../../models/ledger/index.ts';
import type { Scope } from '../../models/schemas/credential.ts';
import type { EarningRuleDoc } from '../../models/schemas/earning-rule.ts';
import { buildIndexes, createModels, type Models } from '../../models/schemas/index.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import { type Config, loadConfig } from '../../platform/config.ts';
import { newId } from '../../platform/ids.ts';
import { createLogger } from '../../platform/logger.ts';
import type { Mail } from '../../platform/mailer.ts';
import { createPurchaseStarter } from '../../platform/purchase-starter.ts';
import { createSealer, type Sealer } from '../../platform/sealing.ts';
import { connectTemporal } from '../../platform/temporal.ts';
import { createPortal } from '../../portal/app.ts';
import { createActivityDeps } from '../../worker/deps.ts';
import { createWorkers, type Workers } from '../../worker/run.ts';
import { startSweep } from '../../worker/sweep.ts';
import { connectPatiently } from './connect-patiently.ts';
import { depositAsOperator } from './deeds.ts';
import { eventually } from './eventually.ts';
import { approved } from './live-partner.ts';
import { PartnerBackend, type Reply, toReply } from './partner-backend.ts';

export type Service = Awaited<ReturnType<typeof startService>>;

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });

/** Where the test run's own servers are. */
function serverAddresses() {
  const { MONGODB_URI, TEMPORAL_ADDRESS } = process.env;
  if (!MONGODB_URI || !TEMPORAL_ADDRESS) {
    throw new Error('Set MONGODB_URI and TEMPORAL_ADDRESS, or run the tests with `npm test`.');
  }
  return { MONGODB_URI, TEMPORAL_ADDRESS };
}

/**
 * The real service for one test file: API and worker in this process, on a database and a task queue
 * of their own.
 */
export async function startService(env: Record<string, string> = {}) {
  const { MONGODB_URI, TEMPORAL_ADDRESS } = serverAddresses();
  const database = `test_${randomUUID().slice(0, 8)}`;
  const uri = new URL(MONGODB_URI);
  uri.pathname = `/${database}`;
  const config: Config = loadConfig({
    MONGODB_URI: uri.href,
    TEMPORAL_ADDRESS,
    TEMPORAL_TASK_QUEUE: database,
    ...(process.env.TEMPORAL_UI_URL && { TEMPORAL_UI_URL: process.env.TEMPORAL_UI_URL }),
    MASTER_KEYS: `test1:${randomBytes(32).toString('base64')}`,
    CUSTOMER_HASH_KEY: randomBytes(32).toString('base64'),
    FOUR_EYES: 'off',
    CREDENTIAL_CACHE_MS: '200',
    // As long as may be: no test but those of it rests on how soon a busy machine answers.
    ANSWER_TIMEOUT_MS: '30000',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...(process.env.WORKFLOW_BUNDLE && { WORKFLOW_BUNDLE: process.env.WORKFLOW_BUNDLE }),
    ...env,
  });
  const mongo = await connectPatiently(config.mongodbUri);
  const models = createModels(mongo);
  await buildIndexes(models);
  const sealer = createSealer(config.masterKeys);
  const log = createLogger('test', config.log);
  const temporal = connectTemporal(config.temporal);
  const native = await NativeConnection.connect({ address: TEMPORAL_ADDRESS });
  const mails: Mail[] = [];
  let isMailAway = false;
  let mailsRefused = 0;
  let nowOffsetMs = 0;

  const sendMail = async (mail: Mail): Promise<void> => {
    if (isMailAway) {
      mailsRefused += 1;
      throw new Error('the mail server is away');
    }
    mails.push(mail);
  };
  const activityDeps = createActivityDeps(config, models, temporal, sendMail, log);
  let workers: Workers;
  let running: Promise<void>;
  let sweep: ReturnType<typeof startSweep>;
  const startWorker = async (): Promise<void> => {
    workers = await createWorkers(config, activityDeps, native);
    running = workers.run();
    sweep = startSweep(
      models,
      createLease(models, 'sweep'),
      activityDeps.messenger,
      config.sweep,
      log,
    );
  };
  const stopWorker = async (): Promise<void> => {
    await sweep.stop();
    workers.shutdown();
    await running;
  };
  await startWorker();

  const integrationEventBuffer: IntegrationEventBuffer = createIntegrationEventBuffer({
    models,
    log,
  });
  const refusedRequestBuffer = createRefusedRequestBuffer({ models, sealer, log });
  const { ledger, usage, checkpoints, messenger } = activityDeps;
  const now = () => Date.now() + nowOffsetMs;
  const starter = createPurchaseStarter(messenger, config.starter, log);
  const own = { config, models, ledger, usage, messenger, starter, temporal, sealer, log, now };
  const deps = { ...own, sendMail };
  const server = await listen(
    createApp(deps, integrationEventBuffer, refusedRequestBuffer),
    '127.0.0.1',
    0,
  );
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const adminServer = await listen(createAdminApp(deps), '127.0.0.1', 0);
  const adminUrl = `http://127.0.0.1:${(adminServer.address() as AddressInfo).port}/admin/v1`;
  /** Made with the first link that is opened. */
  let portal: Promise<Server> | undefined;
  const startPortal = () => listen(createPortal({ ...deps, apiUrl: baseUrl }).app, '127.0.0.1', 0);
  /** Where a customer's link leads. */
  async function claimLink(token: string): Promise<string> {
    portal ??= startPortal();
    const { port } = (await portal).address() as AddressInfo;
    return `http://127.0.0.1:${port}/claim/${token}`;
  }
  /** Asks for it as a program does. */
  async function openClaim(token: string, method = 'GET'): Promise<Reply> {
    const headers = { accept: 'application/json' };
    return toReply(await fetch(await claimLink(token), { method, headers }));
  }

  const ada = { name: 'Ada', role: 'admin' as const };
  const { token: adminToken } = await createOperator({ models, now: Date.now }, ada);

  return {
    baseUrl,
    adminUrl,
    config,
    models,
    ledger,
    usage,
    checkpoints,
    messenger,
    starter,
    temporal,
    sealer,
    sendMail,
    integrationEventBuffer,
    refusedRequestBuffer,
    activityDeps,
    adminToken,
    mails,
    startWorker,
    stopWorker,
    setMailAway(isAway: boolean) {
      isMailAway = isAway;
    },
    mailsRefused: () => mailsRefused,
    /** The reward of an answered purchase, once its workflow has begun. */
    rewardOf: (rewardId: string): Promise<RewardDoc> =>
      eventually(() => models.rewards.findById(rewardId).lean(), `${rewardId} is created`),
    claimLink,
    openClaim,
    /** Claims a reward as its customer does. */
    claim: (token: string): Promise<Reply> => openClaim(token, 'POST'),
    /** Waits until the workflow of every purchase that was answered has begun. */
    async allBegun(): Promise<void> {
      await eventually(
        async () => !(await models.orderEvents.exists({ awaitsWorkflowSince: { $exists: true } })),
        'every purchase begins',
      );
    },
    /** Moves the API's clock. */
    setClockOffsetMs(offsetMs: number) {
      nowOffsetMs = offsetMs;
    },
    /** A partner with one integration, one TEST credential and one active rule; any of it can be changed. */
    partner: (overrides: PartnerOverrides = {}) =>
      makePartner({ models, ledger, sealer, baseUrl }, overrides),
    async stop() {
      const servers = [server, adminServer, ...(portal ? [await portal] : [])];
      await Promise.all(servers.map(close));
      await starter.stop();
      await stopWorker();
      await integrationEventBuffer.flush();
      await refusedRequestBuffer.flush();
      await native.close();
      await temporal.connection.close();
      await mongo.dropDatabase();
      await mongo.close();
    },
  };
}

export interface PartnerOverrides {
  partner?: Partial<PartnerDoc>;
  mode?: Mode;
  scopes?: Scope[];
  /** Null for a partner without an active rule. */
  rule?: Partial<EarningRuleDoc> | null;
  /** Put into the wallet of its mode: LIVE has none otherwise, and TEST needs none. */
  fundingCents?: number;
}

async function makePartner(
  {
    models,
    ledger,
    sealer,
    baseUrl,
  }: { models: Models; ledger: Ledger; sealer: Sealer; baseUrl: string },
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
    apiRateLimitPerMinute: 100_000,
    currency: 'USD',
    contactEmail: null,
    lowBalanceThresholdCents: 0,
    createdAt,
    ...partner,
  });
  await models.integrations.create({ _id: integrationId, partnerId, name: 'web shop', createdAt });
  if (fundingCents > 0) {
    const wallet = walletOf({ partnerId, mode, integrationId });
    await depositAsOperator({ models, ledger }, wallet, fundingCents, 'first funds');
  }
  const backend = new PartnerBackend({ baseUrl, partnerId, integrationId, mode, scopes });
  await backend.addCredential(models, sealer);
  if (rule !== null) await activateRule(models, { partnerId, mode, ...rule });
  return backend;
}

/** Stores a rule version (10 points per 1.00, P30D, unless changed) and makes it the active one. */
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
