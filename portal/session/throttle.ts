import { isIP } from 'node:net';
import { ServiceError } from '../../domain/errors.ts';
import { createWindows, type WindowUse } from '../../http/windows.ts';
import { callerOf, networkOf } from '../../platform/addresses.ts';
import { type Key, say } from '../words/say.ts';

const windowMs = 15 * 60_000;

/** How often something may be tried within a quarter of an hour, in each process. */
const throttleLimits = {
  /** Ways to sign in, from one address. */
  address: 60,
  /** The same from one IPv6 /48, which is what a customer of a hoster has. */
  site: 240,
  /** Passwords for one account, from one address. */
  accountFromAddress: 8,
  /** Passwords for one account, from everywhere: the way by mail stays open, so nobody is locked out. */
  account: 100,
  /** Mails to one account; more are not sent, and nobody is told. */
  mails: 4,
  /** Codes of the second factor of one user, in a proven browser or in all others together. */
  codes: 8,
  /** Recovery codes of one user, from one address: they cannot be guessed, but each look costs something. */
  recoveryCodes: 12,
  /** Passwords of one user to change it, apart from the codes: knowing one allows no more guesses of the other. */
  ownPasswords: 8,
  /** Times that one user sets a new password. */
  newPasswords: 8,
  /** Claim links that nobody was sent, from one address; one that somebody was sent always opens. */
  unknownLinks: 30,
  /** Links to their points that the holder of one claim link asks for; more are not sent, and nobody is told. */
  pointsLinks: 5,
  /** Signatures of which one user is told what is wrong: each costs tens of milliseconds. */
  diagnoses: 200,
  /** Requests that one user sends from the test console: all of them come from the portal's address. */
  testSends: 120,
  /** Files that one user uploads: each is read to its first fault, which may be its last row. */
  uploads: 30,
  /** Invitations that one user sends: each is a mail to whatever address they type. */
  invitations: 40,
  /** Codes that one user has sent to phones: each is a text message to whatever number they type. */
  texts: 5,
  /** Codes that one user has mailed to their partner's contact. */
  mailedCodes: 5,
  /** Access tokens that nobody has, from one address. */
  unknownTokens: 60,
  /** What programs ask for in one user's name: four requests a second. */
  programs: 3_600,
};

export type ThrottleLimits = typeof throttleLimits;
export type Throttle = ReturnType<typeof createThrottle>;

/** Bounds what can be guessed. A right guess counts like a wrong one until it is known to be right. */
export function createThrottle(limits: Partial<ThrottleLimits> = {}) {
  const windowsOf = (name: keyof ThrottleLimits) =>
    createWindows({ limit: limits[name] ?? throttleLimits[name], windowMs });
  const address = windowsOf('address');
  const site = windowsOf('site');
  const newPasswords = windowsOf('newPasswords');
  const accountFromAddress = windowsOf('accountFromAddress');
  const account = windowsOf('account');
  const mails = windowsOf('mails');
  const codes = windowsOf('codes');
  const recoveryCodes = windowsOf('recoveryCodes');
  const ownPasswords = windowsOf('ownPasswords');
  const unknownLinks = windowsOf('unknownLinks');
  const pointsLinks = windowsOf('pointsLinks');
  const diagnoses = windowsOf('diagnoses');
  const testSends = windowsOf('testSends');
  const uploads = windowsOf('uploads');
  const invitations = windowsOf('invitations');
  const texts = windowsOf('texts');
  const mailedCodes = windowsOf('mailedCodes');
  const unknownTokens = windowsOf('unknownTokens');
  const programs = windowsOf('programs');

  return {
    /** @throws ServiceError RATE_LIMITED */
    tryAddress(from: string): void {
      requirePassage(address.take(callerOf(from)));
      if (isIP(from) === 6) requirePassage(site.take(networkOf(from)));
    },
    /** @throws ServiceError RATE_LIMITED */
    tryPassword(email: string, from: string): void {
      requirePassage(accountFromAddress.take(`${email} ${callerOf(from)}`));
      requirePassage(account.take(email));
    },
    passwordWasRight(email: string, from: string): void {
      accountFromAddress.clear(`${email} ${callerOf(from)}`);
    },
    /** Whether one more mail may be sent to an address. */
    mayMail: (email: string): boolean => mails.take(email).isGranted,
    /** @param whose as what their codes are counted @throws ServiceError RATE_LIMITED */
    tryCode(whose: string, message: TooMany): void {
      requirePassage(codes.take(whose), message);
    },
    codeWasRight(whose: string): void {
      codes.clear(whose);
    },
    /** @throws ServiceError RATE_LIMITED */
    tryRecoveryCode(userId: string, from: string): void {
      requirePassage(recoveryCodes.take(`${userId} ${callerOf(from)}`), 'tooMany.attempts');
    },
    /** @throws ServiceError RATE_LIMITED */
    tryOwnPassword(userId: string): void {
      requirePassage(ownPasswords.take(userId));
    },
    /** @throws ServiceError RATE_LIMITED */
    tryNewPassword(userId: string): void {
      requirePassage(newPasswords.take(userId), 'tooMany.newPassword');
    },
    ownPasswordWasRight(userId: string): void {
      ownPasswords.clear(userId);
    },
    /** @throws ServiceError RATE_LIMITED */
    tryUnknownLink(from: string): void {
      requirePassage(unknownLinks.take(callerOf(from)), 'tooMany.unknownLink');
    },
    /** Whether one more link to their points may be sent to the customer of a reward. */
    mayAskForPoints: (rewardId: string): boolean => pointsLinks.take(rewardId).isGranted,
    /** @throws ServiceError RATE_LIMITED */
    tryDiagnosis(userId: string): void {
      requirePassage(diagnoses.take(userId), 'tooMany.diagnosis');
    },
    /** @throws ServiceError RATE_LIMITED */
    tryTestSend(userId: string): void {
      requirePassage(testSends.take(userId), 'tooMany.testSend');
    },
    /** @throws ServiceError RATE_LIMITED */
    tryUpload(userId: string): void {
      requirePassage(uploads.take(userId), 'tooMany.upload');
    },
    /** @throws ServiceError RATE_LIMITED */
    tryText(userId: string): void {
      requirePassage(texts.take(userId));
    },
    /** @throws ServiceError RATE_LIMITED */
    tryMailedCode(userId: string): void {
      requirePassage(mailedCodes.take(userId), 'tooMany.mail');
    },
    /** @throws ServiceError RATE_LIMITED */
    tryInvitation(userId: string): void {
      requirePassage(invitations.take(userId), 'tooMany.mail');
    },
    /** @throws ServiceError RATE_LIMITED */
    tryUnknownToken(from: string): void {
      requirePassage(unknownTokens.take(callerOf(from)), 'tooMany.unknownToken');
    },
    /** @throws ServiceError RATE_LIMITED */
    tryProgram(userId: string): void {
      requirePassage(programs.take(userId), 'tooMany.program');
    },
  };
}

/** What is said to whoever has to wait, and what they can do instead. */
export type TooMany = Extract<Key, `tooMany.${string}`>;

/** @throws ServiceError RATE_LIMITED unless one more is let through */
export function requirePassage(
  { isGranted, resetSeconds }: WindowUse,
  message: TooMany = 'tooMany.signIn',
): void {
  if (isGranted) return;
  const minutes = Math.ceil(resetSeconds / 60);
  throw new ServiceError('RATE_LIMITED', say(message, { minutes }), {
    'Retry-After': String(resetSeconds),
  });
}
