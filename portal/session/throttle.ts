import { isIP } from 'node:net';
import { ServiceError } from '../../domain/errors.ts';
import { createWindows, type WindowUse } from '../../http/limits.ts';
import { callerOf, networkOf } from '../../platform/addresses.ts';

const windowMs = 15 * 60_000;

/** Attempts allowed within 15 minutes, per process. */
const throttleLimits = {
  /** Sign-in attempts from one address. */
  address: 60,
  /** Sign-in attempts from one IPv6 /48, which hosting providers assign to one customer. */
  site: 240,
  /** Passwords for one account, from one address. */
  accountFromAddress: 8,
  /**
   * Passwords for one account, from all addresses. Signing in by email remains possible, so nobody is
   * locked out.
   */
  account: 100,
  /** Emails to one account; further ones are silently not sent. */
  mails: 4,
  /** Codes of the second factor of one user, in a proven browser or in all others together. */
  codes: 8,
  /** Recovery codes of one user, from one address: they cannot be guessed, but each check costs CPU time. */
  recoveryCodes: 12,
  /** Passkeys of one user, from one address, for the same reason. */
  passkeys: 30,
  /**
   * Current passwords entered by one user to change it. Counted apart from codes, so that knowing one
   * allows no more guesses of the other.
   */
  ownPasswords: 8,
  /** New passwords set by one user. */
  newPasswords: 8,
  /** Unknown claim links from one address; a real one always opens. */
  unknownLinks: 30,
  /** Links to their points requested through one claim link; further ones are silently not sent. */
  pointsLinks: 5,
  /** Signatures that one user has diagnosed: each costs tens of milliseconds. */
  diagnoses: 200,
  /** Requests sent by one user from the test console: they all come from the portal's address. */
  testSends: 120,
  /** Files uploaded by one user: each is read up to its first fault, possibly the whole file. */
  uploads: 30,
  /** Invitations sent by one user: each is an email to an arbitrary address. */
  invitations: 40,
  /** Codes emailed to the partner's contact by one user. */
  mailedCodes: 5,
  /** Unknown access tokens from one address. */
  unknownTokens: 60,
  /** Requests by programs with one user's tokens: four a second. */
  programs: 3_600,
};

export type ThrottleLimits = typeof throttleLimits;
export type Throttle = ReturnType<typeof createThrottle>;

/** Limits guessing. A correct guess counts like a wrong one until it is known to be correct. */
export function createThrottle(limits: Partial<ThrottleLimits> = {}) {
  const names = Object.keys(throttleLimits) as (keyof ThrottleLimits)[];
  const windows = Object.fromEntries(
    names.map((name) => [
      name,
      createWindows({ limit: limits[name] ?? throttleLimits[name], windowMs }),
    ]),
  ) as Record<keyof ThrottleLimits, ReturnType<typeof createWindows>>;

  return {
    /** @throws ServiceError RATE_LIMITED */
    tryAddress(from: string): void {
      requireGranted(windows.address.take(callerOf(from)));
      if (isIP(from) === 6) requireGranted(windows.site.take(networkOf(from)));
    },
    /** @throws ServiceError RATE_LIMITED */
    tryPassword(email: string, from: string): void {
      requireGranted(windows.accountFromAddress.take(`${email} ${callerOf(from)}`));
      requireGranted(windows.account.take(email));
    },
    passwordWasRight(email: string, from: string): void {
      windows.accountFromAddress.clear(`${email} ${callerOf(from)}`);
    },
    /** Whether another email may be sent to an address. */
    mayMail: (email: string): boolean => windows.mails.take(email).isGranted,
    /**
     * @param whose the key under which the codes are counted
     * @throws ServiceError RATE_LIMITED
     */
    tryCode(whose: string, message: TooMany): void {
      requireGranted(windows.codes.take(whose), message);
    },
    codeWasRight(whose: string): void {
      windows.codes.clear(whose);
    },
    /** @throws ServiceError RATE_LIMITED */
    tryRecoveryCode(userId: string, from: string): void {
      requireGranted(windows.recoveryCodes.take(`${userId} ${callerOf(from)}`), waitOr(''));
    },
    /** @throws ServiceError RATE_LIMITED */
    tryPasskey(userId: string, from: string): void {
      requireGranted(windows.passkeys.take(`${userId} ${callerOf(from)}`), waitOr(''));
    },
    /** @throws ServiceError RATE_LIMITED */
    tryOwnPassword(userId: string): void {
      requireGranted(windows.ownPasswords.take(userId));
    },
    /** @throws ServiceError RATE_LIMITED */
    tryNewPassword(userId: string): void {
      requireGranted(windows.newPasswords.take(userId), waitOr(', or keep the password you have'));
    },
    ownPasswordWasRight(userId: string): void {
      windows.ownPasswords.clear(userId);
    },
    /** @throws ServiceError RATE_LIMITED */
    tryUnknownLink(from: string): void {
      requireGranted(
        windows.unknownLinks.take(callerOf(from)),
        waitOr(', or open the link in your email'),
      );
    },
    /** Whether another link to their points may be sent to a reward's customer. */
    mayAskForPoints: (rewardId: string): boolean => windows.pointsLinks.take(rewardId).isGranted,
    /** @throws ServiceError RATE_LIMITED */
    tryDiagnosis(userId: string): void {
      requireGranted(
        windows.diagnoses.take(userId),
        waitOr(', or compare on your own machine with node partner-events.mjs doctor'),
      );
    },
    /** @throws ServiceError RATE_LIMITED */
    tryTestSend(userId: string): void {
      requireGranted(
        windows.testSends.take(userId),
        waitOr(', or send from your own machine with the curl command'),
      );
    },
    /** @throws ServiceError RATE_LIMITED */
    tryUpload(userId: string): void {
      requireGranted(windows.uploads.take(userId), waitOr(', or put more orders into one file'));
    },
    /** @throws ServiceError RATE_LIMITED */
    tryMailedCode(userId: string): void {
      requireGranted(
        windows.mailedCodes.take(userId),
        waitOr(', or check whether the email has arrived'),
      );
    },
    /** @throws ServiceError RATE_LIMITED */
    tryInvitation(userId: string): void {
      requireGranted(
        windows.invitations.take(userId),
        waitOr(', or check whether the email has arrived'),
      );
    },
    /** @throws ServiceError RATE_LIMITED */
    tryUnknownToken(from: string): void {
      requireGranted(
        windows.unknownTokens.take(callerOf(from)),
        waitOr(', or create a new token on your account page'),
      );
    },
    /** @throws ServiceError RATE_LIMITED */
    tryProgram(userId: string): void {
      requireGranted(windows.programs.take(userId), waitOr(', or send requests less often'));
    },
  };
}

/** What to say after too many attempts. @param minutes until the next one is allowed */
export type TooMany = (minutes: number) => string;

/** @param instead what the reader can do rather than wait, after a comma; or empty */
export const waitOr =
  (instead: string): TooMany =>
  (minutes) =>
    `Too many attempts. Try again in ${minutes} min${instead}.`;

/**
 * @throws ServiceError RATE_LIMITED unless one more is let through
 */
export function requireGranted(
  { isGranted, resetSeconds }: WindowUse,
  message = waitOr(', or ask for a link by email'),
): void {
  if (isGranted) return;
  const minutes = Math.ceil(resetSeconds / 60);
  throw new ServiceError('RATE_LIMITED', message(minutes), {
    'Retry-After': String(resetSeconds),
  });
}
