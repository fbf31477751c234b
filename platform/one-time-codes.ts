import { generateSecret, generateURI, verifySync } from 'otplib';

/** Accepts codes from clocks that are up to half a minute off. */
const toleranceSeconds = 30;

/** A new secret for an authenticator app, in base32. */
export const newCodeSecret = (): string => generateSecret();

/** The URI that an authenticator app reads from a QR code. */
export function codeUri(secret: string, email: string): string {
  return generateURI({ issuer: 'Partner Events', label: email, secret });
}

/**
 * Verifies a six-digit code.
 * @returns its time step, in half minutes since the epoch, or null if it is wrong. Callers store
 *   the step, so that no code is accepted twice
 */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const epoch = Math.floor(nowMs / 1000);
  const result = verifySync({ secret, token: code, epoch, epochTolerance: toleranceSeconds });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
