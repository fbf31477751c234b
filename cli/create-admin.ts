import { program } from 'commander';
import { defaultOperatorNotices } from '../domain/partners.ts';
import { operatorsId } from '../domain/webhooks.ts';
import { createModels } from '../models/schemas/index.ts';
import { saveNotices } from '../models/webhooks/operators.ts';
import { system } from '../operations/actor.ts';
import { execute } from '../operations/execute.ts';
import { createFirstOperator, createOperatorUser } from '../operations/operators.ts';
import { ConfigError, loadConfig } from '../platform/config.ts';
import { newToken } from '../platform/hashing.ts';
import { connectMongo } from '../platform/mongo.ts';

// Writes to the database directly: a new deployment has no operator who could call the API.
program
  .name('create-admin')
  .description(
    'Creates an operator with the role admin and prints the bearer token once; with an email address, also a password for the portal.',
  )
  .requiredOption('--name <name>', 'the name, for the audit log')
  .option('--email <email>', 'for signing in to the portal')
  .action(async ({ name, email }: { name: string; email?: string }) => {
    const config = loadConfig(process.env);
    const connection = await connectMongo(config.mongodbUri);
    try {
      const deps = { models: createModels(connection), now: Date.now };
      const actor = system('create-admin');
      const password = newToken();
      const { operator, token } = await execute(deps, createFirstOperator, actor, {
        name,
        role: 'admin',
      });
      if (email !== undefined) {
        const { _id: userId } = await createOperatorUser(deps, operator, { email, password });
        const user = { partnerId: operatorsId, userId };
        await saveNotices(deps.models, user, defaultOperatorNotices.admin, 'AT_ONCE', new Date());
      }
      process.stdout.write(`${operator._id}  ${operator.name}\n${token}\n`);
      if (email === undefined) return;
      process.stdout.write(`${email}\n${password}\n`);
    } finally {
      await connection.close();
    }
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
