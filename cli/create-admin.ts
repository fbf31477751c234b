import { program } from 'commander';
import { defaultOperatorNotices } from '../domain/partners.ts';
import { operatorsId } from '../domain/webhooks.ts';
import { createSignInLink } from '../models/identity/sign-in-links.ts';
import { createModels } from '../models/schemas/index.ts';
import { saveNotices } from '../models/webhooks/operators.ts';
import { system } from '../operations/actor.ts';
import { execute } from '../operations/execute.ts';
import { createFirstOperator, createOperatorUser } from '../operations/operators.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { runCommand } from './run-command.ts';
import { settingsOf } from './settings.ts';

// Writes to the database directly: a new deployment has no operator who could call the API.
program
  .name('create-admin')
  .description(
    'Creates an operator with the role admin. With an email address, prints a link with which they sign in to the portal, for a quarter of an hour; without, a bearer token.',
  )
  .requiredOption('--name <name>', 'the name, for the audit log')
  .option('--email <email>', 'for signing in to the portal')
  .option('--if-none', 'does nothing if there is an operator')
  .action(async ({ name, email, ifNone }: { name: string; email?: string; ifNone?: true }) => {
    const config = loadConfig(await settingsOf(process.env));
    const connection = await connectMongo(config.mongodbUri);
    try {
      const deps = { models: createModels(connection), now: Date.now };
      if (ifNone && (await deps.models.operators.exists({})) !== null) return;
      const actor = system('create-admin');
      const { operator, token } = await execute(deps, createFirstOperator, actor, {
        name,
        role: 'admin',
      });
      process.stdout.write(`${operator._id}  ${operator.name}\n`);
      if (email === undefined) {
        process.stdout.write(`${token}\n`);
        return;
      }
      const { _id: userId } = await createOperatorUser(deps, operator, { email });
      const user = { partnerId: operatorsId, userId };
      await saveNotices(deps.models, user, defaultOperatorNotices.admin, 'AT_ONCE', new Date());
      const link = await createSignInLink(deps, userId);
      process.stdout.write(`${config.portal.url}/sign-in/link/${link}\n`);
    } finally {
      await connection.close();
    }
  });

await runCommand(program);
