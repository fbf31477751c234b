import { PartnerClient } from '../../clients/typescript/index.ts';
import type { OperatorClient, OperatorReward } from './operator.ts';

const integrationName = 'demo: short claim windows';

/**
 * A client of an integration with its own rule, whose rewards expire within seconds; the shop's other
 * integrations are unaffected.
 * @returns the client, and a function to call when it is no longer needed
 */
export async function shortWindowClient(
  operator: OperatorClient,
  { baseUrl, ofReward: { partnerId } }: { baseUrl: string; ofReward: OperatorReward },
  windowSeconds: number,
): Promise<{ client: PartnerClient; end(): Promise<void> }> {
  const of = `/partners/${partnerId}`;
  const integrationId = await findOrMakeIntegration(operator, of);
  const rule = await operator.ask<{ ruleId: string }>('POST', `${of}/earning-rules`, {
    mode: 'TEST',
    currency: 'USD',
    kind: 'PER_AMOUNT',
    points: 10,
    unitCents: 100,
    claimWindow: `PT${windowSeconds}S`,
    integrationId,
  });
  await operator.ask('POST', `/earning-rules/${rule.ruleId}/activate`);
  const { credential, secret } = await operator.ask<{
    credential: { credentialId: string; apiKey: string };
    secret: string;
  }>('POST', `${of}/credentials`, {
    integrationId,
    mode: 'TEST',
    scopes: ['events:write', 'events:read'],
  });
  return {
    client: new PartnerClient({ baseUrl, key: credential.apiKey, secret }),
    async end() {
      await operator.ask('DELETE', `/credentials/${credential.credentialId}`);
    },
  };
}

async function findOrMakeIntegration(operator: OperatorClient, of: string): Promise<string> {
  const { items } = await operator.ask<{ items: { integrationId: string; name: string }[] }>(
    'GET',
    `${of}/integrations?limit=100`,
  );
  const known = items.find(({ name }) => name === integrationName);
  if (known) return known.integrationId;
  const made = await operator.ask<{ integrationId: string }>('POST', `${of}/integrations`, {
    name: integrationName,
  });
  return made.integrationId;
}
