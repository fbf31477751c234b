import { createWriteStream, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { program } from 'commander';
import { createCheckpoints, type NoteCheckpoints, runAudit } from '../audit/index.ts';
import { ledgerKey } from '../models/ledger/index.ts';
import { createModels } from '../models/schemas/index.ts';
import { checkKeys } from '../models/store/key-checks.ts';
import { createAuditLog } from '../platform/audit-log.ts';
import { type Config, ConfigError, loadConfig } from '../platform/config.ts';
import { createLogger } from '../platform/logger.ts';
import { connectMongo } from '../platform/mongo.ts';
import { auditTable } from './audit-table.ts';
import { readCheckpointLog, readTreeHeadLog } from './checkpoint-log.ts';
import { createProgressBar } from './progress-bar.ts';
import { settingsOf } from './settings.ts';

// `npm run audit` exits with 0 if the ledger is right, 1 if it is not, 2 if the audit could not run.
program
  .name('audit')
  .description('Audits the ledger while the service runs, and lists every fault.')
  .option('--partner <id>', 'audit only one partner')
  .option(
    '--log <path>',
    'check that the checkpoints and tree heads in this file, or in the files of this folder, are in the database; - is standard input',
  )
  .action(async ({ partner, log: given }: { partner?: string; log?: string }) => {
    const config = loadConfig(await settingsOf(process.env));
    const log = given === '-' ? await storedInput() : given;
    const { customerHashKey } = config;
    const connection = await connectMongo(config.mongodbUri);
    const bar = createProgressBar(process.stderr);
    try {
      const models = createModels(connection);
      await checkKeys(models, config);
      const run = await runAudit(
        {
          models,
          hashKey: ledgerKey(customerHashKey),
          checkpoints: createCheckpoints(customerHashKey, noteIn(config)),
        },
        {
          partnerId: partner,
          reviewCents: config.approvals.reviewCents,
          logged: log === undefined ? undefined : readCheckpointLog(log),
          loggedHeads: log === undefined ? undefined : readTreeHeadLog(log),
          onProgress: bar.show,
        },
      );
      bar.end();
      process.stdout.write(auditTable(run));
      process.exitCode = run.faults === 0 ? 0 : 1;
    } finally {
      bar.end();
      await connection.close();
    }
  });

/** Standard input as a file, which is read twice. */
async function storedInput(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'audit-log-')), 'input');
  await pipeline(process.stdin, createWriteStream(file));
  process.once('exit', () => rmSync(dirname(file), { recursive: true }));
  return file;
}

/** A checkpoint is only stored once it is in the audit log, which must not be this terminal. */
function noteIn({ auditLog, log }: Config): NoteCheckpoints | null {
  if (auditLog === undefined) return null;
  const write = createAuditLog(auditLog, createLogger('audit', log));
  return (all) => write('checkpoint', all);
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(
    error instanceof ConfigError || !(error instanceof Error) ? String(error) : error.stack,
  );
  process.exitCode = 2;
}
