import { PartnerClient } from '../../clients/typescript/client.ts';
import { createDemoOperator } from '../../dev/demo/operator.ts';
import type { ServerOptions } from '../../dev/servers/mongo.ts';
import { awaitReady } from '../../dev/start/await-ready.ts';
import { type Scope, scopes } from '../../domain/partners.ts';
import { addMongo, addService, addTemporal, type Processes } from '../support/processes.ts';
import { hereRelease, runIn } from '../support/releases.ts';
import { eventually } from './eventually.ts';

export interface Partner {
  /** Its TEST key. */
  key: string;
  secret: string;
  /** What the partner's own server could ask. */
  client: PartnerClient;
  /** Another TEST key, which may do only this. */
  keyWith(scopes: Scope[]): Promise<{ api_key: string; secret: string }>;
  /** @returns the endpoint's secret */
  sendWebhooksTo(url: string): Promise<string>;
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

  return {
    baseUrl,

    /** Until it is started again, nothing answers a shop. */
    stopApi: () => processes.stop(['API']),
    startApi: () => processes.start(['API']),

    /** A partner whose shop delivers the claim links itself, and lets customers spend points. */
    async openPartner(currency: string): Promise<Partner> {
      const name = `shop ${currency}`;
      const fields = { name, contactEmail: 'owner@shop.example', currency };
      const { partnerId } = await ask<{ partnerId: string }>('POST', '/partners', fields);
      const of = `/partners/${partnerId}`;
      const redemptions = { isAllowed: true, pointsPerUnit: 100, maxPointsPerCustomerDay: null };
      await ask('PATCH', of, { redemptions });
      const integrations = `${of}/integrations`;
      const { integrationId } = await ask<{ integrationId: string }>('POST', integrations, {
        name,
      });
      await ask('PATCH', `${integrations}/${integrationId}`, { delivery: 'PARTNER' });
      const perAmount = { currency, kind: 'PER_AMOUNT', points: 10, unitCents: 100 };
      const rule = { mode: 'TEST', ...perAmount };
      const { ruleId } = await ask<{ ruleId: string }>('POST', `${of}/earning-rules`, rule);
      await ask('POST', `/earning-rules/${ruleId}/activate`);
      await ask('POST', `${of}/test-funding`, {
        amountCents: 100_000_000,
        externalReference: 'first funds',
      });
      const keyWith = async (of: readonly Scope[]) => {
        const wanted = { integrationId, mode: 'TEST', scopes: of };
        const { credential, secret } = await ask<{
          credential: { apiKey: string };
          secret: string;
        }>('POST', `/partners/${partnerId}/credentials`, wanted);
        return { api_key: credential.apiKey, secret };
      };
      const { api_key: key, secret } = await keyWith(scopes);
      const client = new PartnerClient({ baseUrl, key, secret });
      const sendWebhooksTo = async (url: string) => {
        const wanted = { mode: 'TEST', url };
        const made = await ask<{ secret: string }>('POST', `${of}/webhook-endpoints`, wanted);
        return made.secret;
      };
      return { key, secret, client, keyWith, sendWebhooksTo };
    },

    /** The customer presses the button of the link's page, once the purchase's workflow has begun. */
    async claim(link: string): Promise<void> {
      const init = { method: 'POST', headers: { accept: 'application/json' } };
      await eventually('the reward is claimed', async () => (await fetch(link, init)).ok);
    },
  };
}
