import { randomUUID } from 'node:crypto';
import { giveFirstFunds } from '../../dev/first-funds.ts';
import { goLive, profileOf } from '../../dev/go-live.ts';
import { seedPlans } from '../../dev/seed-plans.ts';
import type { Mode } from '../../domain/mode.ts';
import { createCommit } from '../../models/commit.ts';
import { startSession, strengthenSession } from '../../models/identity/sessions.ts';
import { ledgerKey } from '../../models/ledger/index.ts';
import { createModels, type Models } from '../../models/schemas/index.ts';
import { system } from '../../operations/actor.ts';
import { createCredential, shownSecret } from '../../operations/credentials.ts';
import { activateRule, createRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { createFirstOperator, createOperatorUser } from '../../operations/operators.ts';
import { createPartner } from '../../operations/partners.ts';
import { subscribe } from '../../operations/subscriptions.ts';
import { acceptInvitation, inviteUser } from '../../operations/users.ts';
import { createWebhookEndpoint } from '../../operations/webhook-endpoints.ts';
import { type Config, loadConfig } from '../../platform/config.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { createSealer } from '../../platform/sealing.ts';
import { anEvent, type SentEvent, type SimulatedShop, send } from './traffic-log.ts';

/** A signed-in user, and the pages they read. */
export interface PageReader {
  cookie: string;
  paths: readonly string[];
}

interface ShopsInput {
  config: Config;
  models: Models;
  baseUrl: string;
  /** The URL for TEST webhooks. */
  hookUrl: string;
}

type Deps = ReturnType<typeof depsOf>;
export type CreatedShops = Awaited<ReturnType<typeof createShops>>;

const fundings = { rich: 100_000_000, tight: 5_000 };
const earning = { currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 } as const;
const pages = {
  owner: ['/home', '/events', '/orders', '/usage', '/invoices', '/funding', '/webhooks'],
  operator: [
    ...['/admin', '/admin/partners', '/admin/reviews', '/admin/rewards', '/admin/ledger'],
    ...['/admin/requests', '/admin/audit', '/admin/exports'],
  ],
};

/**
 * Two partners, one rich and one with little money, each with a TEST shop and a LIVE one, an operator, and
 * two readers of pages. The TEST events with which the partners go live are among what was sent.
 */
export async function createShops(input: ShopsInput) {
  const deps = depsOf(input);
  const { token: adminToken } = await execute(deps, createFirstOperator, system('seed'), {
    name: 'prover',
    role: 'admin',
  });
  const { scale: planVersionId } = await seedPlans(deps);
  const created = {
    shops: [] as SimulatedShop[],
    sent: [] as SentEvent[],
    endpoints: [] as { partnerId: string; mode: Mode }[],
  };
  for (const [name, amountCents] of Object.entries(fundings)) {
    const { _id: partnerId } = await execute(deps, createPartner, system('seed'), {
      ...profileOf(name),
      goLiveMinimumFundingCents: amountCents,
    });
    await execute(deps, subscribe, system('seed'), { partnerId, planVersionId, interval: 'MONTH' });
    const { _id: integrationId } = await execute(deps, createIntegration, system('seed'), {
      partnerId,
      name: 'shop',
    });
    for (const mode of ['LIVE', 'TEST'] as const) {
      const rule = await execute(deps, createRule, system('seed'), { partnerId, mode, ...earning });
      await execute(deps, activateRule, system('seed'), { ruleId: rule._id });
      await giveFirstFunds(deps, { partnerId, mode }, amountCents);
    }
    const open = async (mode: Mode): Promise<SimulatedShop> => {
      const scopes = ['events:write' as const];
      const fields = { partnerId, integrationId, mode, scopes };
      const made = await execute(deps, createCredential, system('seed'), fields);
      const { credential, secret } = made;
      const isTight = name === 'tight' && mode === 'LIVE';
      return {
        name,
        partnerId,
        mode,
        key: credential.apiKey,
        secret: shownSecret(secret),
        isTight,
      };
    };
    const testing = await open('TEST');
    await execute(deps, createWebhookEndpoint, system('seed'), {
      partnerId,
      mode: 'TEST',
      url: input.hookUrl,
      eventTypes: ['*'],
      description: 'prover',
    });
    created.endpoints.push({ partnerId, mode: 'TEST' });
    created.sent.push(...(await tryOut(input.baseUrl, testing)));
    await goLive(deps, partnerId);
    created.shops.push(await open('LIVE'), testing);
  }
  const readers = await signInReaders(deps, created.shops[0]?.partnerId ?? '');
  return { adminToken, ...created, readers };
}

const depsOf = ({ config, models }: ShopsInput) => ({
  models,
  config,
  commit: createCommit({ models, hashKey: ledgerKey(config.customerHashKey), now: Date.now }),
  sealer: createSealer(config.masterKeys),
  now: Date.now,
  sendMessage: async () => undefined,
});

/** A TEST purchase and its refund, which go-live requires. */
async function tryOut(baseUrl: string, shop: SimulatedShop): Promise<SentEvent[]> {
  const externalOrderId = `first-${randomUUID()}`;
  const customer = { email: 'first@customers.example' };
  const order = { subtotalCents: 1_000, currency: 'USD' };
  const purchase = { externalOrderId, customer, order };
  const sent = [
    anEvent('purchases', shop, externalOrderId, purchase),
    anEvent('refunds', shop, externalOrderId, { externalOrderId }),
  ];
  for (const event of sent) event.response = await send(baseUrl, event);
  return sent;
}

/** Signs in an owner of the partner, and an operator. */
async function signInReaders(deps: Deps, partnerId: string): Promise<PageReader[]> {
  const invitation = await execute({ ...deps, log: console }, inviteUser, system('seed'), {
    partnerId,
    email: 'owner@example.com',
    role: 'owner',
  });
  const owner = await execute(deps, acceptInvitation, system('seed'), {
    invitationId: invitation._id,
    name: 'Owner',
    password: 'correct horse battery',
  });
  const admin = await deps.models.operators.findOne().orFail();
  const operator = await createOperatorUser(deps, admin, { email: 'operator@example.com' });
  const readerOf = async (userId: string, paths: string[]): Promise<PageReader> => {
    const from = { userAgent: 'prover', address: '127.0.0.1' };
    const { session } = await startSession(deps, { userId, signedInBy: 'PASSWORD', ...from });
    const token = await strengthenSession(deps, session);
    return { cookie: `session=${token}`, paths };
  };
  return [await readerOf(owner._id, pages.owner), await readerOf(operator._id, pages.operator)];
}

// As a program, in the folder of any release: creates them with that release's code, and prints them.
if (import.meta.main) {
  const [baseUrl = '', hookUrl = ''] = process.argv.slice(2);
  const config = loadConfig(process.env);
  const models = createModels(await connectMongo(config.mongodbUri));
  const created = await createShops({ config, models, baseUrl, hookUrl });
  process.stdout.write(`${JSON.stringify(created)}\n`);
  await models.connection.close();
}
