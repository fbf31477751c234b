import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let common: ReadonlySet<string> | undefined;

/** Whether a password, in whatever case, is one of those that are tried first. */
export function isCommonPassword(password: string): boolean {
  common ??= readCommon();
  return common.has(password.toLowerCase());
}

/** Unpacked when it is first asked for: to do so at every start would cost each process 50 ms. */
function readCommon(): ReadonlySet<string> {
  const { dictionary } =
    require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
