import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PartnerClient } from '../clients/typescript/index.ts';
import { type Mode, modes } from '../domain/mode.ts';
import { scopes } from '../domain/partners.ts';
import { createCommit } from '../models/commit.ts';
import { endAccessTokens, findAccessToken } from '../models/identity/access-tokens.ts';
import { enrollSecondFactor } from '../models/identity/second-factors.ts';
import { ledgerKey } from '../models/ledger/index.ts';
import { buildIndexes, createModels, type Models } from '../models/schemas/index.ts';
import type { Scope } from '../models/schemas/integrations.ts';
import { keepRequestLogFor } from '../models/store/retention.ts';
import { createAccessToken } from '../operations/account.ts';
import { system } from '../operations/actor.ts';
import { createCredential, shownSecret } from '../operations/credentials.ts';
import type { OperationDeps } from '../operations/deps.ts';
import { activateRule, createRule } from '../operations/earning-rules.ts';
import { execute } from '../operations/execute.ts';
import { createIntegration } from '../operations/integrations.ts';
import { createFirstOperator, createOperatorUser } from '../operations/operators.ts';
import { createPartner } from '../operations/partners.ts';
import { subscribe } from '../operations/subscriptions.ts';
import { acceptInvitation, inviteUser } from '../operations/users.ts';
import type { Config } from '../platform/config.ts';
import { newCodeSecret, newToken, sha256Hex } from '../platform/hashing.ts';
import { unwrapMasterKeys } from '../platform/key-providers.ts';
import { connectMongo } from '../platform/mongo.ts';
import { createSealer, type Sealer } from '../platform/sealing.ts';
import { connectTemporal, registerSearchAttributes } from '../temporal/connection.ts';
import { ensureSchedules } from '../temporal/schedules.ts';
import { readSecurity } from '../temporal/security.ts';
import { giveFirstFunds } from './first-funds.ts';
import { goLive, profileOf } from './go-live.ts';
import { seedPlans } from './seed-plans.ts';
import { replaceFile } from './start/replace-file.ts';

/** The demo file, which the demo, the commands and new developers use to access a local service. */
export interface DemoFile {
  baseUrl: string;
  adminUrl: string;
  portalUrl: string;
  adminToken: string;
  /** The owner's token, for `listen` and similar commands. */
  accessToken: string;
  /** The portal's sign-ins: the partner's owner, and an admin. */
  partnerLogin: Login;
  adminLogin: Login & SecondFactor;
  temporalUi: string;
  mongodbUri: string;
  test: KeyPair;
  live: KeyPair;
  readOnly: KeyPair;
}

interface KeyPair {
  key: string;
  secret: string;
}

interface Login {
  email: string;
  password: string;
}

/** Every operator needs one. */
interface SecondFactor {
  /** For an authenticator app. */
  codeSecret: string;
  /** Instead of a code of the app; each works once. */
  recoveryCodes: string[];
}

/** 1,000,000.00: enough for any demo. */
const demoFundingCents = 100_000_000;

/** Prepares a local database and Temporal: indexes, search attributes, schedules. */
export async function prepareService(config: Config): Promise<void> {
  const { address, namespace } = config.temporal;
  await registerSearchAttributes(address, namespace, readSecurity(config.temporal));
  const client = connectTemporal(config.temporal);
  await ensureSchedules(client, config.temporal.taskQueue);
  await client.connection.close();
  const mongo = await connectMongo(config.mongodbUri);
  try {
    const models = createModels(mongo);
    await buildIndexes(models);
    await keepRequestLogFor(models, config.requestLogRetentionDays);
  } finally {
    await mongo.close();
  }
}

/**
 * Creates the demo partner of a running service, unless its keys are already in the database. The demo file
 * always has the addresses of this start.
 */
export async function seedDemo(input: {
  config: Config;
  baseUrl: string;
  adminUrl: string;
  portalUrl: string;
  temporalUi: string;
  mongodbUri: string;
  demoFile: string;
}): Promise<Logins> {
  const { config, baseUrl, adminUrl, portalUrl, temporalUi, mongodbUri, demoFile } = input;
  const mongo = await connectMongo(config.mongodbUri);
  try {
    const models = createModels(mongo);
    const sealer = createSealer(await unwrapMasterKeys(config.masterKeys, config));
    const known = await findKeys(models, demoFile);
    const keys =
      (known && (await renewKeys({ models, sealer, now: () => Date.now() }, known))) ??
      (await seedPartner({
        models,
        sealer,
        commit: createCommit({ models, hashKey: ledgerKey(config.customerHashKey), now: Date.now }),
        now: () => Date.now(),
        shopWith: (keys) => new PartnerClient({ baseUrl, brand: config.http.headerBrand, ...keys }),
      }));
    const logins =
      (await findLogins(models, demoFile)) ?? (await seedLogins({ models, sealer, config }, keys));
    const addresses = { baseUrl, adminUrl, portalUrl, temporalUi, mongodbUri };
    const accessToken = await seedAccessToken(models, logins, demoFile);
    await writeDemoFile(demoFile, { ...addresses, ...keys, ...logins, accessToken });
    return logins;
  } finally {
    await mongo.close();
  }
}

type DemoKeys = Pick<DemoFile, 'adminToken' | 'test' | 'live' | 'readOnly'>;

/** The keys of an earlier start, if the database still has them. */
async function findKeys(models: Models, demoFile: string): Promise<DemoKeys | undefined> {
  const text = await readFile(demoFile, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { adminToken, test, live, readOnly }: DemoFile = JSON.parse(text);
  const known = await models.credentials.exists({ apiKey: test.key });
  return known ? { adminToken, test, live, readOnly } : undefined;
}

/** Working keys: replaces revoked ones, and those with revoked secrets. */
async function renewKeys(
  deps: Pick<SeedDeps, 'models' | 'sealer' | 'now'>,
  keys: DemoKeys,
): Promise<DemoKeys> {
  const { models, sealer } = deps;
  const working = async ({ key, secret }: KeyPair): Promise<KeyPair> => {
    const credential = await models.credentials.findOne({ apiKey: key }).orFail();
    const { _id, partnerId, integrationId, mode, scopes, secrets, revokedAt } = credential;
    const isActive = secrets.some(
      (one) => one.revokedAt === null && sealer.open(one.sealed, _id) === secret,
    );
    if (revokedAt === null && isActive) return { key, secret };
    const fields = { partnerId, integrationId, mode, scopes };
    const made = await execute(deps, createCredential, system('seed'), fields);
    return { key: made.credential.apiKey, secret: shownSecret(made.secret) };
  };
  return {
    ...keys,
    test: await working(keys.test),
    live: await working(keys.live),
    readOnly: await working(keys.readOnly),
  };
}

type Logins = Pick<DemoFile, 'partnerLogin' | 'adminLogin'>;

/** The sign-ins of an earlier start, if both still work; an older demo file may lack them. */
async function findLogins(models: Models, demoFile: string): Promise<Logins | undefined> {
  const text = await readFile(demoFile, 'utf8').catch(() => undefined);
  const { partnerLogin, adminLogin }: Partial<DemoFile> = JSON.parse(text ?? '{}');
  if (!partnerLogin || !adminLogin?.codeSecret) return undefined;
  const emails = [partnerLogin.email, adminLogin.email];
  const known = await models.users.countDocuments({ email: { $in: emails }, disabledAt: null });
  return known === emails.length ? { partnerLogin, adminLogin } : undefined;
}

/** Creates new portal sign-ins for the owner of the demo partner and the demo admin. */
async function seedLogins(
  { models, sealer, config }: { models: Models; sealer: Sealer; config: Config },
  { test, adminToken }: Pick<DemoKeys, 'test' | 'adminToken'>,
): Promise<Logins> {
  const deps = { models, now: () => Date.now() };
  const login = (email: string): Login => ({ email, password: newToken().slice(0, 16) });
  const [partnerLogin, adminLogin] = [login('owner@demo.example'), login('admin@demo.example')];
  await models.users.deleteMany({ email: { $in: [partnerLogin.email, adminLogin.email] } });
  const { partnerId } = await models.credentials.findOne({ apiKey: test.key }).orFail();
  const { email, password } = partnerLogin;
  const invitation = await execute(
    {
      ...deps,
      sendMessage: async () => undefined,
      config: { portal: { url: '' } },
      log: console,
    },
    inviteUser,
    system('seed'),
    { partnerId, email, role: 'owner' },
  );
  await execute(deps, acceptInvitation, system('seed'), {
    invitationId: invitation._id,
    name: 'Demo Owner',
    password,
  });
  const tokenHash = sha256Hex(adminToken);
  const operator = await models.operators.findOne({ 'tokens.hash': tokenHash }).orFail();
  await models.users.deleteMany({ operatorId: operator._id });
  const { _id: userId } = await createOperatorUser(deps, operator, adminLogin);
  const codeSecret = newCodeSecret();
  const { customerHashKey } = config;
  const factor = { secret: codeSecret, step: 0 };
  const sealing = { ...deps, sealer, customerHashKey };
  const recoveryCodes = await enrollSecondFactor(sealing, userId, factor);
  return { partnerLogin, adminLogin: { ...adminLogin, codeSecret, recoveryCodes } };
}

/** The owner's access token of an earlier start, if it still works, or a new one. */
async function seedAccessToken(
  models: Models,
  { partnerLogin }: Logins,
  demoFile: string,
): Promise<string> {
  const deps = { models, now: () => Date.now() };
  const { _id: userId, partnerId } = await models.users
    .findOne({ email: partnerLogin.email })
    .orFail();
  const text = await readFile(demoFile, 'utf8').catch(() => '{}');
  const { accessToken = '' }: Partial<DemoFile> = JSON.parse(text);
  if ((await findAccessToken(deps, accessToken))?.userId === userId) return accessToken;
  if (partnerId === null) throw new Error('the demo owner does not belong to a partner');
  await endAccessTokens(deps, userId);
  const fields = { partnerId, userId, name: 'npm start', days: 90 };
  return (await execute(deps, createAccessToken, system('seed'), fields)).token;
}

/** @param shopWith creates the shop's own client, which signs with these keys */
type SeedDeps = Pick<OperationDeps, 'models' | 'commit' | 'sealer' | 'now'> & {
  shopWith: (keys: KeyPair) => PartnerClient;
};

/**
 * A live partner on the largest plan, with money in both modes and one rule per mode: 10 points per 1.00,
 * with a claim window of 30 days. It goes live like any other, with its TEST events.
 */
async function seedPartner(deps: SeedDeps): Promise<DemoKeys> {
  const partner = await execute(deps, createPartner, system('seed'), {
    ...profileOf('Demo Coffee Roasters'),
    lowBalanceThresholdCents: 1_000_000,
  });
  const partnerId = partner._id;
  // Emails to a fictitious shop reach nobody.
  const verifiedContactEmail = partner.contactEmail;
  await deps.models.partners.updateOne({ _id: partnerId }, { $set: { verifiedContactEmail } });
  const integration = await execute(deps, createIntegration, system('seed'), {
    partnerId,
    name: 'web shop',
  });
  const { scale } = await seedPlans(deps);
  await execute(deps, subscribe, system('seed'), {
    partnerId,
    planVersionId: scale,
    interval: 'MONTH',
  });
  const keyPair = async (mode: Mode, scopes: Scope[]): Promise<KeyPair> => {
    const integrationId = integration._id;
    const made = await execute(deps, createCredential, system('seed'), {
      partnerId,
      integrationId,
      mode,
      scopes,
    });
    return { key: made.credential.apiKey, secret: shownSecret(made.secret) };
  };
  for (const mode of modes) {
    const rule = await execute(deps, createRule, system('seed'), {
      partnerId,
      mode,
      currency: 'USD',
      kind: 'PER_AMOUNT',
      points: 10,
      unitCents: 100,
    });
    await execute(deps, activateRule, system('seed'), { ruleId: rule._id });
    await giveFirstFunds(deps, { partnerId, mode }, demoFundingCents);
  }
  const { token } = await execute(deps, createFirstOperator, system('seed'), {
    name: 'demo admin',
    role: 'admin',
  });
  const test = await keyPair('TEST', [...scopes]);
  await tryOut(deps.shopWith(test));
  await goLive(deps, partnerId);
  return {
    adminToken: token,
    test,
    live: await keyPair('LIVE', [...scopes]),
    readOnly: await keyPair('TEST', ['events:read']),
  };
}

/** A TEST purchase and its refund, which go-live requires. */
async function tryOut(shop: PartnerClient): Promise<void> {
  const externalOrderId = `first-${randomUUID().slice(0, 8)}`;
  const customer = { email: `${externalOrderId}@customers.example` };
  await shop.purchase({ externalOrderId, customer, order: { subtotalCents: 1_000 } });
  await shop.refund({ externalOrderId });
}

/** It contains secrets. */
const writeDemoFile = (path: string, demo: DemoFile): Promise<void> =>
  replaceFile(path, `${JSON.stringify(demo, null, 2)}\n`);
