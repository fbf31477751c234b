import { program } from 'commander';
import { createOperator } from '../models/commands/create-operator.ts';
import { carryOut, system } from '../models/commands/deeds.ts';
import { createModels } from '../models/schemas/index.ts';
import { ConfigError, loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';

// Straight to the database, because a new deployment has no operator yet who could ask the API.
program
  .name('create-admin')
  .description('Makes an operator with the role admin and prints the bearer token, this once.')
  .requiredOption('--name <name>', 'who it is, for the audit trail')
  .action(async ({ name }: { name: string }) => {
    const config = loadConfig(process.env);
    const connection = await connectMongo(config.mongodbUri);
    try {
      const deps = { models: createModels(connection), now: Date.now };
      const fields = { name, role: 'admin' as const };
      const { admin, token } = await carryOut(
        deps,
        system('create-admin'),
        { action: 'operator.create', partnerId: null, targetId: null, details: fields },
        () => createOperator(deps, fields, { tokenDays: config.admin.tokenDays }),
        ({ admin: { _id: targetId }, tokenId }) => ({ targetId, details: { tokenId } }),
      );
      process.stdout.write(`${admin._id}  ${admin.name}\n${token}\n`);
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
