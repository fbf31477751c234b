import { generateSync } from 'otplib';

const stepMs = 30_000;

/** An authenticator app that never repeats a code: within the same 30 seconds, it uses the next ones. */
export function oneTimeCodes() {
  let last = 0;
  return {
    next(secret: string): string {
      last = Math.max(last + 1, Math.floor(Date.now() / stepMs));
      return generateSync({ secret, epoch: (last * stepMs) / 1_000 });
    },
  };
}
