import { existsSync } from 'node:fs';
import { installDebian } from './debian.ts';

const packages = ['php-cli', 'php-curl', 'composer', 'php-guzzlehttp-guzzle'];
/** The last of them, as it depends on the others. */
const installed = '/usr/share/php/GuzzleHttp/autoload.php';

/**
 * PHP with the packages for testing its client: Debian's, which are installed if run as root.
 * @throws Error that names what to install
 */
export const installPhp = (): Promise<void> =>
  installDebian(packages, () => existsSync(installed) && existsSync('/usr/bin/composer'));
