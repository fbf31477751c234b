import { program } from 'commander';
import { createAdmin } from '../models/commands/create-admin.ts';
import { createModels } from '../models/schemas/index.ts';
import { ConfigError, loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';

// Straight to the database, because a new deployment has no operator yet who could ask the API.
program
  .name('create-admin')
  .description('Makes an operator and prints the bearer token, this once.')
  .requiredOption('--name <name>', 'who it is, for the audit trail')
  .action(async ({ name }: { name: string }) => {
    const connection = await connectMongo(loadConfig(process.env).mongodbUri);
    try {
      const { admin, token } = await createAdmin(
        { models: createModels(connection), now: Date.now },
        { name },
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
