import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
const aptGet = '/usr/bin/apt-get';
const packages = ['php-cli', 'php-curl', 'composer', 'php-guzzlehttp-guzzle'];
/** The last of them, since it asks for the others' interfaces. */
const installed = '/usr/share/php/GuzzleHttp/autoload.php';

/**
 * PHP with what its client is tested with: Debian's packages, which root installs by this.
 * @throws Error that says what to install
 */
export async function installPhp(): Promise<void> {
  const advice = `Install what the PHP client is tested with: apt-get install ${packages.join(' ')}`;
  if (existsSync(installed) && existsSync('/usr/bin/composer')) return;
  if (process.getuid?.() !== 0 || !existsSync(aptGet)) throw new Error(advice);
  const apt = (...args: string[]) =>
    run(aptGet, ['-q', '-y', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      maxBuffer: 64 * 1024 * 1024,
    });
  await apt('update');
  await apt('install', '--no-install-recommends', ...packages);
}
