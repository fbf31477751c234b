import { execFileSync } from 'node:child_process';
import { installDebian } from './debian.ts';

/** Ruby no longer includes WEBrick since version 3. */
const packages = ['ruby', 'ruby-webrick'];

/**
 * Ruby with the requirements of the receiver in docs/integrate/webhooks.md: Debian's packages, which are installed if
 * run as root.
 * @throws Error that names what to install
 */
export const installRuby = (): Promise<void> => installDebian(packages, isHere);

function isHere(): boolean {
  try {
    execFileSync('ruby', ['-rwebrick', '-e', ''], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
