import { execFileSync } from 'node:child_process';
import { installDebian } from './debian.ts';

/** WEBrick does not come with Ruby since its version 3. */
const packages = ['ruby', 'ruby-webrick'];

/**
 * Ruby with what the receiver in docs/webhooks.md requires: Debian's packages, which root installs by this.
 * @throws Error that says what to install
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
