import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { program } from 'commander';
import { createCommit } from '../models/commit.ts';
import { ledgerKey } from '../models/ledger/index.ts';
import { createModels } from '../models/schemas/index.ts';
import { checkKeys } from '../models/store/key-checks.ts';
import { system } from '../operations/actor.ts';
import { createCredential, shownSecret } from '../operations/credentials.ts';
import { activateRule, createRule } from '../operations/earning-rules.ts';
import { execute } from '../operations/execute.ts';
import { createIntegration } from '../operations/integrations.ts';
import { createPartner } from '../operations/partners.ts';
import { addTestFunding } from '../operations/wallets.ts';
import { loadConfig } from '../platform/config.ts';
import { unwrapMasterKeys } from '../platform/key-providers.ts';
import { connectMongo } from '../platform/mongo.ts';
import { createSealer } from '../platform/sealing.ts';
import { runCommand } from './run-command.ts';
import { settingsOf } from './settings.ts';

const actor = system('demo');
/** The partners' own command. */
const command = fileURLToPath(new URL('../clients/typescript/cli.ts', import.meta.url));
/** 10,000.00. */
const testFundingCents = 1_000_000;

// Writes to the database directly, as create-admin does; the purchase goes through the API.
program
  .name('demo')
  .description(
    'Creates a partner with a TEST key, and sends its first signed purchase to the API. Prints the key with its secret, and the response. No money moves.',
  )
  .option('--name <name>', 'of the partner', 'Demo shop')
  .option('--url <url>', 'of the API; by default PORTAL_API_URL')
  .action(async ({ name, url }: { name: string; url?: string }) => {
    const config = loadConfig(await settingsOf(process.env));
    const connection = await connectMongo(config.mongodbUri);
    try {
      const models = createModels(connection);
      await checkKeys(models, config);
      const deps = {
        models,
        now: Date.now,
        sealer: createSealer(await unwrapMasterKeys(config.masterKeys, config)),
        commit: createCommit({ models, hashKey: ledgerKey(config.customerHashKey), now: Date.now }),
      };
      const { _id: partnerId } = await execute(deps, createPartner, actor, {
        name,
        contactEmail: 'owner@demo.example',
      });
      const integration = await execute(deps, createIntegration, actor, {
        partnerId,
        name: 'web shop',
      });
      const rule = await execute(deps, createRule, actor, {
        partnerId,
        mode: 'TEST',
        currency: 'USD',
        kind: 'PER_AMOUNT',
        points: 10,
        unitCents: 100,
      });
      await execute(deps, activateRule, actor, { ruleId: rule._id });
      await execute(deps, addTestFunding, actor, {
        partnerId,
        amountCents: testFundingCents,
        externalReference: 'demo',
      });
      const made = await execute(deps, createCredential, actor, {
        partnerId,
        integrationId: integration._id,
        mode: 'TEST',
        scopes: ['events:write', 'events:read'],
      });
      const key = made.credential.apiKey;
      const secret = shownSecret(made.secret);
      const PARTNER_URL = url ?? config.portal.apiUrl;
      process.stdout.write(
        [
          `${name}: ${config.portal.url}/admin/partners/${partnerId}`,
          `PARTNER_KEY=${key}`,
          `PARTNER_SECRET=${secret}`,
          'A signed purchase, as its shop would send it:',
          '',
        ].join('\n'),
      );
      const bought = ['--order', `demo-${randomUUID().slice(0, 8)}`, '--subtotal', '49.90'];
      const brand = ['--brand', config.http.headerBrand];
      const env = { ...process.env, PARTNER_URL, PARTNER_KEY: key, PARTNER_SECRET: secret };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [command, 'purchase', ...bought, '--email', 'customer@demo.example', ...brand],
        { env },
      );
      process.stdout.write(stdout);
    } finally {
      await connection.close();
    }
  });

await runCommand(program);
