import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { installPhp } from '../../../dev/tools/php.ts';
import { conformance } from '../../clients/conformance/suite.ts';

/** Runs the conformance suite against the PHP client, as Composer loads it. */
const run = promisify(execFile);
const clients = fileURLToPath(new URL('../../../clients/', import.meta.url));
const directory = await mkdtemp(join(tmpdir(), 'php-client-'));
test.after.always(() => rm(directory, { recursive: true, force: true }));

/** Loads the client as Composer does, once for both. @returns the path of the autoloader */
const prepared = (async () => {
  await installPhp();
  await cp(join(clients, 'php'), directory, { recursive: true });
  const env = {
    ...process.env,
    COMPOSER_ALLOW_SUPERUSER: '1',
    COMPOSER_HOME: join(directory, 'home'),
  };
  const composer = (...args: string[]) => run('composer', args, { cwd: directory, env });
  await composer('validate', '--strict', '--no-check-publish', '--no-interaction');
  await composer('dump-autoload', '--no-interaction', '--ignore-platform-reqs');
  return join(directory, 'vendor/autoload.php');
})();

for (const on of ['guzzle', 'curl']) {
  conformance(test, `PHP on ${on}`, async () => ({
    command: 'php',
    args: [join(clients, 'conformance/drivers/php.php'), await prepared, on],
  }));
}
