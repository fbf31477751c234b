import { createSecretKey, randomBytes } from 'node:crypto';
import { InvalidArgumentError, program } from 'commander';
import { ConfigError, loadKeyConfig } from '../platform/config.ts';
import { unwrapMasterKeys, wrapMasterKey } from '../platform/key-providers.ts';
import {
  formatMasterKey,
  type GivenKey,
  isMasterKeyId,
  type MasterKey,
  parseWrappingKey,
  type WrappingKey,
} from '../platform/master-keys.ts';
import { runCommand } from './run-command.ts';

interface Options {
  with?: WrappingKey;
}

function readId(id: string): string {
  if (isMasterKeyId(id)) return id;
  throw new InvalidArgumentError('It is up to 32 letters, digits, - and _.');
}

const withOption = [
  '--with <key>',
  'what wraps it: vault:<mount>/<key>, or aws-kms:<ARN>; without it, the key is printed in clear',
  (text: string): WrappingKey => {
    const key = parseWrappingKey(text);
    if (key === null) throw new InvalidArgumentError('It is vault:<mount>/<key> or aws-kms:<ARN>.');
    return key;
  },
] as const;

program
  .name('master-key')
  .description('Makes and wraps master keys. Prints what MASTER_KEYS has to be.');

program
  .command('new')
  .description('A new key, which comes first, so that it encrypts; those of MASTER_KEYS stay.')
  .option('--id <id>', 'its id', readId, new Date().toISOString().slice(0, 10))
  .option(...withOption)
  .action(async ({ id, with: by }: Options & { id: string }) => {
    const { masterKeys, vault } = loadKeyConfig(process.env);
    if (masterKeys.some((one) => one.id === id)) {
      throw new ConfigError(`MASTER_KEYS has a key “${id}” already. Choose another --id.`);
    }
    const key = { id, key: createSecretKey(randomBytes(32)) };
    print([await wrapped(key, by, { vault }), ...masterKeys]);
  });

program
  .command('wrap')
  .description('The same keys, wrapped by another key, or anew by the same one.')
  .option(...withOption)
  .action(async ({ with: by }: Options) => {
    const { masterKeys, vault } = loadKeyConfig(process.env);
    if (masterKeys.length === 0) throw new ConfigError('MASTER_KEYS is not set.');
    const keys = await unwrapMasterKeys(masterKeys, { vault });
    print(await Promise.all(keys.map((key) => wrapped(key, by, { vault }))));
  });

const wrapped = async (
  key: MasterKey,
  by: WrappingKey | undefined,
  settings: Parameters<typeof wrapMasterKey>[2],
): Promise<GivenKey> => (by === undefined ? key : await wrapMasterKey(key, by, settings));

function print(keys: readonly GivenKey[]): void {
  process.stdout.write(`${keys.map(formatMasterKey).join()}\n`);
}

await runCommand(program);
