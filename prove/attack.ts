import { program } from 'commander';
import { log } from '../dev/log.ts';
import { type Attempt, tryAll } from './attack/attempt.ts';
import { customerAttempts } from './attack/customer.ts';
import { operatorAttempts } from './attack/operator.ts';
import { apiAttempts, portalAttempts } from './attack/outsider.ts';

program
  .name('prove-attack')
  .description(
    'Attempts what docs/concepts/security.md says no operator can do alone, with one admin’s token against a running service (FOUR_EYES=on), what nobody can do from outside, and what no customer of a shop can, and prints the results. It leaves drafts and withdrawn proposals behind: use a service of your own.',
  )
  .requiredOption('--admin-url <url>', 'the operators’ API, such as http://127.0.0.1:3002/admin/v1')
  .requiredOption('--token <token>', 'an admin’s token')
  .option('--partner <id>', 'a LIVE partner (default: the newest)')
  .option(
    '--api-url <url>',
    'the partners’ API, such as http://127.0.0.1:3000, for attempts from outside',
  )
  .option(
    '--portal-url <url>',
    'the portal, such as http://127.0.0.1:3001, for attempts from outside',
  )
  .option('--test-key <key>', 'a partner’s TEST key with all scopes, for attempts as a customer')
  .option('--test-secret <secret>', 'its signing secret')
  .action(async ({ adminUrl, token, partner, apiUrl, portalUrl, testKey, testSecret }) => {
    const shop = apiUrl && testKey && { baseUrl: apiUrl, key: testKey, secret: testSecret };
    const attempts: Attempt[] = [
      ...(await operatorAttempts(adminUrl, token, partner)),
      ...(apiUrl ? apiAttempts(apiUrl) : []),
      ...(shop ? customerAttempts(adminUrl, token, shop) : []),
      ...(portalUrl ? portalAttempts(portalUrl) : []),
    ];
    const succeeded = await tryAll(attempts, log);
    log(`\n${attempts.length} attempts, ${succeeded} succeeded.`);
    process.exitCode = succeeded === 0 ? 0 : 1;
  });

await program.parseAsync();
