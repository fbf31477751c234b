import { existsSync } from 'node:fs';
import { installDebian } from './debian.ts';

const packages = ['php-cli', 'php-curl', 'composer', 'php-guzzlehttp-guzzle'];
/** The last of them, since it asks for the others' interfaces. */
const installed = '/usr/share/php/GuzzleHttp/autoload.php';

/**
 * PHP with what its client is tested with: Debian's packages, which root installs by this.
 * @throws Error that says what to install
 */
export const installPhp = (): Promise<void> =>
  installDebian(packages, () => existsSync(installed) && existsSync('/usr/bin/composer'));
