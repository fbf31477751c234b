import { createInterface } from 'node:readline';
import { program } from 'commander';
import Joi from 'joi';
import { createModels } from '../models/schemas/index.ts';
import { system } from '../operations/actor.ts';
import { eraseAgain, erasedLine } from '../operations/customers.ts';
import { execute } from '../operations/execute.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { runCommand } from './run-command.ts';
import { settingsOf } from './settings.ts';

interface ErasureLine {
  partnerId: string;
  customerId: string;
  reference: string;
  erasedAt: Date;
}

const lineSchema = Joi.object<ErasureLine & { msg: string }>({
  msg: Joi.valid(erasedLine).required(),
  partnerId: Joi.string().required(),
  customerId: Joi.string().required(),
  reference: Joi.string().required(),
  erasedAt: Joi.date().iso().required(),
}).options({ stripUnknown: true });

// Writes to the database directly: two operators approved each of these erasures the first time.
program
  .name('erase-again')
  .description(
    'After a restore: repeats the erasures recorded in AUDIT_LOG or in a log of the API, which is read from standard input.',
  )
  .option('--check', 'only reads the lines')
  .action(async ({ check }: { check?: true }) => {
    // All of them, before the first is repeated.
    const erasures: ErasureLine[] = [];
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.includes(erasedLine)) erasures.push(read(line));
    }
    if (check) {
      process.stdout.write(`${erasures.length} erasures can be repeated.\n`);
      return;
    }
    const { mongodbUri } = loadConfig(await settingsOf(process.env));
    const connection = await connectMongo(mongodbUri);
    try {
      const deps = { models: createModels(connection), now: Date.now };
      for (const { reference, erasedAt, partnerId, customerId } of erasures) {
        const erasure = { partnerId, customerId, reference, erasedAt };
        await execute(deps, eraseAgain, system('erase-again'), erasure);
      }
      process.stdout.write(`${erasures.length} erasures repeated.\n`);
    } finally {
      await connection.close();
    }
  });

/** Reads a line, also with what `docker compose logs` and log collectors put before it. */
function read(line: string): ErasureLine {
  const { value, error } = lineSchema.validate(parsed(line.slice(line.indexOf('{'))));
  if (error) throw new Error(`This line is not from the log: ${line}`);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

await runCommand(program);
