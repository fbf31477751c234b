import { generateSecret, generateURI, verifySync } from 'otplib';

/** A clock that is half a minute off still shows a code that is taken. */
const toleranceSeconds = 30;

/** A fresh secret for an authenticator app, in base32. */
export const newCodeSecret = (): string => generateSecret();

/** What an authenticator app reads from a QR code. */
export function codeUri(secret: string, email: string): string {
  return generateURI({ issuer: 'Partner portal', label: email, secret });
}

/**
 * Checks a code of six digits.
 * @returns the half minute that it belongs to, counted from the epoch, or null for a wrong one; whoever
 *   keeps it takes no code twice
 */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const epoch = Math.floor(nowMs / 1000);
  const result = verifySync({ secret, token: code, epoch, epochTolerance: toleranceSeconds });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
