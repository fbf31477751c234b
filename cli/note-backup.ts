import { program } from 'commander';
import { createModels } from '../models/schemas/index.ts';
import { noteBackup } from '../models/store/backups.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { runCommand } from './run-command.ts';
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

await runCommand(program);
