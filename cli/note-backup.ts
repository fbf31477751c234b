import { program } from 'commander';
import { createModels } from '../models/schemas/index.ts';
import { noteBackup } from '../models/store/backups.ts';
import { ConfigError, loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { settingsOf } from './settings.ts';

program
  .name('note-backup')
  .description(
    'Notes that a backup is complete, so that an alert can tell when the next is overdue.',
  )
  .action(async () => {
    const connection = await connectMongo(loadConfig(await settingsOf(process.env)).mongodbUri);
    try {
      await noteBackup(createModels(connection), new Date());
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
