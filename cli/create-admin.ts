import { program } from 'commander';
import { createOperator } from '../models/commands/create-operator.ts';
import { carryOut, system } from '../models/commands/deeds.ts';
import { createModels } from '../models/schemas/index.ts';
import { ConfigError, loadConfig } from '../platform/config.ts';
import { newToken } from '../platform/hashing.ts';
import { connectMongo } from '../platform/mongo.ts';

// Straight to the database, because a new deployment has no operator yet who could ask the API.
program
  .name('create-admin')
  .description(
    'Makes an operator with the role admin and prints the bearer token, this once; with an address also a password for the portal.',
  )
  .requiredOption('--name <name>', 'who it is, for the audit trail')
  .option('--email <email>', 'signs in to the portal with it')
  .action(async ({ name, email }: { name: string; email?: string }) => {
    const config = loadConfig(process.env);
    const connection = await connectMongo(config.mongodbUri);
    try {
      const deps = { models: createModels(connection), now: Date.now };
      const fields = { name, role: 'admin' as const };
      const password = newToken();
      const { admin, token } = await carryOut(
        deps,
        system('create-admin'),
        { action: 'operator.create', partnerId: null, targetId: null, details: fields },
        () =>
          createOperator(
            deps,
            { ...fields, ...(email !== undefined && { email }) },
            { tokenDays: config.admin.tokenDays, password },
          ),
        ({ admin: { _id: targetId }, tokenId }) => ({ targetId, details: { tokenId } }),
      );
      process.stdout.write(`${admin._id}  ${admin.name}\n${token}\n`);
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
