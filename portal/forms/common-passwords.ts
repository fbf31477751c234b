import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let common: ReadonlySet<string> | undefined;

/** Whether a password is among those that attackers try first, ignoring case. */
export function isCommonPassword(password: string): boolean {
  common ??= readCommon();
  return common.has(password.toLowerCase());
}

/** Unpacked on first use: doing it at every start would cost each process 50 ms. */
function readCommon(): ReadonlySet<string> {
  const { dictionary } =
    require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
