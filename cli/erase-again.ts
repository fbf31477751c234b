import { createInterface } from 'node:readline';
import { program } from 'commander';
import Joi from 'joi';
import { carryOut, system } from '../models/commands/deeds.ts';
import { eraseCustomer, erasedLine, erasureDeed } from '../models/commands/erase-customer.ts';
import { createModels } from '../models/schemas/index.ts';
import { ConfigError, loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';

interface Erased {
  partnerId: string;
  customerId: string;
  reference: string;
  erasedAt: Date;
}

const lineSchema = Joi.object<Erased & { msg: string }>({
  msg: Joi.valid(erasedLine).required(),
  partnerId: Joi.string().required(),
  customerId: Joi.string().required(),
  reference: Joi.string().required(),
  erasedAt: Joi.date().iso().required(),
}).options({ stripUnknown: true });

// Straight to the database: that two operators wanted each of these was settled when it was done first.
program
  .name('erase-again')
  .description(
    'After a restore: erases again whom the API’s log, read from standard input, says to have been erased.',
  )
  .action(async () => {
    const { mongodbUri } = loadConfig(process.env);
    const connection = await connectMongo(mongodbUri);
    try {
      const deps = { models: createModels(connection), now: Date.now };
      let erased = 0;
      for await (const line of createInterface({ input: process.stdin })) {
        if (!line.includes(erasedLine)) continue;
        const { reference, erasedAt, partnerId, customerId } = read(line);
        const customer = { partnerId, customerId };
        await carryOut(deps, system('erase-again'), erasureDeed(customer, reference), () =>
          eraseCustomer(deps, customer, reference, erasedAt),
        );
        erased += 1;
      }
      process.stdout.write(`${erased} erasures are done again.\n`);
    } finally {
      await connection.close();
    }
  });

function read(line: string): Erased {
  const { value, error } = lineSchema.validate(JSON.parse(line));
  if (error) throw new Error(`This line is not one of the log: ${line}`);
  return value;
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
