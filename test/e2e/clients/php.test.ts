import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { installPhp } from '../../../dev/tools/php.ts';
import { packPhpClient } from '../../../portal/documents/pack-clients.ts';
import { conformance } from '../../clients/conformance/suite.ts';

/** Runs the conformance suite against the PHP client that the portal serves, as Composer installs it. */
const run = promisify(execFile);
const clients = fileURLToPath(new URL('../../../clients/', import.meta.url));
const directory = await mkdtemp(join(tmpdir(), 'php-client-'));
test.after.always(() => rm(directory, { recursive: true, force: true }));

/** Installs the client, once for both. @returns the path of the autoloader */
const prepared = (async () => {
  await installPhp();
  const [name, file] = packPhpClient();
  await writeFile(join(directory, name), file);
  const own = join(directory, 'partner-events');
  await run('python3', ['-m', 'zipfile', '-e', join(directory, name), own]);
  const composerOf = { 'partner-events': { type: 'path', url: own }, 'packagist.org': false };
  await writeFile(join(directory, 'composer.json'), JSON.stringify({ repositories: composerOf }));
  const env = {
    ...process.env,
    COMPOSER_ALLOW_SUPERUSER: '1',
    COMPOSER_HOME: join(directory, 'home'),
  };
  const composer = (cwd: string, ...args: string[]) =>
    run('composer', [...args, '--no-interaction'], { cwd, env });
  await composer(join(clients, 'php'), 'validate', '--strict', '--no-check-publish');
  await composer(directory, 'require', 'partner-events/client:0.1.0', '--ignore-platform-reqs');
  return join(directory, 'vendor/autoload.php');
})();

for (const on of ['guzzle', 'curl']) {
  conformance(test, `PHP on ${on}`, async () => ({
    command: 'php',
    args: [join(clients, 'conformance/drivers/php.php'), await prepared, on],
  }));
}
