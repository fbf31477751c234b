import { PartnerClient } from '../../clients/typescript/client.ts';
import { createDemoOperator } from '../../dev/demo/operator.ts';
import { profileOf } from '../../dev/go-live.ts';
import type { ServerOptions } from '../../dev/servers/mongo.ts';
import { awaitReady } from '../../dev/start/await-ready.ts';
import type { Mode } from '../../domain/mode.ts';
import { type Scope, scopes } from '../../domain/partners.ts';
import { createModels } from '../../models/schemas/index.ts';
import { system } from '../../operations/actor.ts';
import { createCredential, shownSecret } from '../../operations/credentials.ts';
import { execute } from '../../operations/execute.ts';
import { loadConfig } from '../../platform/config.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { createSealer } from '../../platform/sealing.ts';
import { addMongo, addService, addTemporal, type Processes } from '../support/processes.ts';
import { hereRelease, runIn } from '../support/releases.ts';
import { eventually } from './eventually.ts';

/** A partner in one of its modes. */
export interface Partner {
  mode: Mode;
  key: string;
  secret: string;
  /** What the partner's own server could ask. */
  client: PartnerClient;
  /** Another key, which may do only this. */
  keyWith(scopes: readonly Scope[]): Promise<{ api_key: string; secret: string }>;
  /** @returns the endpoint's secret */
  sendWebhooksTo(url: string): Promise<string>;
  /** Has it approved by its TEST events, like any other. @returns it in LIVE */
  goLive(): Promise<Partner>;
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** The whole service, with an operator who can open partners. */
export async function startService(processes: Processes, options: ServerOptions) {
  const servers = {
    mongodbUri: await addMongo(processes, options),
    temporalAddress: await addTemporal(processes, options),
  };
  const release = await hereRelease();
  const service = await addService(processes, options, servers, { copies: 1, releases: [release] });
  const { env, baseUrl, adminUrl } = service;
  await runIn(release, ['cli/migrate.ts'], env);
  const { stdout } = await runIn(release, ['cli/create-admin.ts', '--name', 'prover'], env);
  await service.start(release);
  await awaitReady(`${baseUrl}/statusz`);
  const { ask } = createDemoOperator(adminUrl, stdout.trim().split('\n').at(-1) ?? '');

  const secrets: string[] = [];

  const openMode = async (
    ids: { partnerId: string; integrationId: string },
    currency: string,
    mode: Mode,
  ): Promise<Partner> => {
    const of = `/partners/${ids.partnerId}`;
    // An operator is not shown the secret of a LIVE key.
    const keyWith = async (may: readonly Scope[]) => {
      const config = loadConfig(env);
      const models = createModels(await connectMongo(config.mongodbUri));
      try {
        const deps = { models, config, sealer: createSealer(config.masterKeys), now: Date.now };
        const fields = { ...ids, mode, scopes: may };
        const made = await execute(deps, createCredential, system('seed'), fields);
        const secret = shownSecret(made.secret);
        secrets.push(secret);
        return { api_key: made.credential.apiKey, secret };
      } finally {
        await models.connection.close();
      }
    };
    const { api_key: key, secret } = await keyWith(scopes);
    const client = new PartnerClient({ baseUrl, key, secret });
    return {
      mode,
      key,
      secret,
      client,
      keyWith,
      async sendWebhooksTo(url) {
        const made = await ask<{ secret: string }>('POST', `${of}/webhook-endpoints`, {
          mode,
          url,
        });
        return made.secret;
      },
      async goLive() {
        const order = { subtotalCents: 1_000, currency };
        const customer = { email: 'first@customers.example' };
        await client.purchase({ externalOrderId: 'first', customer, order });
        await client.refund({ externalOrderId: 'first' });
        await fund(of, currency, 'LIVE');
        await ask('POST', `${of}/go-live/request`);
        await ask('POST', `${of}/go-live/approval`);
        return await openMode(ids, currency, 'LIVE');
      },
    };
  };

  /** An active rule, and money for what it gives. */
  const fund = async (of: string, currency: string, mode: Mode): Promise<void> => {
    const rule = { mode, currency, kind: 'PER_AMOUNT', points: 10, unitCents: 100 };
    const { ruleId } = await ask<{ ruleId: string }>('POST', `${of}/earning-rules`, rule);
    await ask('POST', `/earning-rules/${ruleId}/activate`);
    const money = { amountCents: 100_000_000, externalReference: 'first funds' };
    if (mode === 'TEST') await ask('POST', `${of}/test-funding`, money);
    else await ask('POST', `${of}/top-ups`, { ...money, currency });
  };

  return {
    baseUrl,
    /** Of all keys. */
    secrets,

    /** Until it is started again, nothing answers a shop. */
    stopApi: () => processes.stop(['API']),
    startApi: () => processes.start(['API']),
    /** Does something while the API accepts connections and does not answer. */
    async whileSilent<T>(work: () => Promise<T>): Promise<T> {
      processes.freeze(['API']);
      try {
        return await work();
      } finally {
        processes.thaw(['API']);
      }
    },

    /** A partner whose shop delivers the claim links itself, and lets customers spend points. In TEST. */
    async openPartner(currency: string): Promise<Partner> {
      const profile = { ...profileOf(`shop ${currency}`), currency };
      const { partnerId } = await ask<{ partnerId: string }>('POST', '/partners', profile);
      const of = `/partners/${partnerId}`;
      const redemptions = { isAllowed: true, pointsPerUnit: 100, maxPointsPerCustomerDay: null };
      await ask('PATCH', of, { redemptions });
      const { integrationId } = await ask<{ integrationId: string }>('POST', `${of}/integrations`, {
        name: 'shop',
      });
      await ask('PATCH', `${of}/integrations/${integrationId}`, { delivery: 'PARTNER' });
      await fund(of, currency, 'TEST');
      return await openMode({ partnerId, integrationId }, currency, 'TEST');
    },

    /** The orders whose refunds wait for an operator. */
    async ordersInReview(mode: Mode): Promise<string[]> {
      const { items } = await ask<{ items: { mode: Mode; externalOrderId: string }[] }>(
        'GET',
        '/reviews?status=OPEN',
      );
      return items.filter((one) => one.mode === mode).map((one) => one.externalOrderId);
    },

    /** The customer presses the button of the link's page, once the purchase's workflow has begun. */
    async claim(link: string): Promise<void> {
      const init = { method: 'POST', headers: { accept: 'application/json' } };
      await eventually('the reward is claimed', async () => (await fetch(link, init)).ok);
    },

    /** @throws Error with the table of the audit if it finds a fault */
    async audit(): Promise<void> {
      await runIn(release, ['cli/audit.ts'], env);
    },
  };
}
