import {
  diagnoseGiven,
  type Examined,
  type GivenRequest,
  type KnownSecret,
  ourString,
} from '../../doctor/index.ts';
import { signCanonical } from '../../signature.ts';
import type { Credential } from '../credentials.ts';

export interface DoctorReport extends Examined {
  /** The correct value of the header, which is no secret from the user, who has the signing secret. */
  rightSignature: string;
}

/** Other known secrets that may have been used by mistake. */
export type OtherSecrets = Partial<Record<'REVOKED' | 'OTHER_MODE', string | undefined>>;

/** Compares the signed string with the one that the service would build, and computes the correct signature. */
export function examineRequest(
  given: GivenRequest,
  { key: apiKey, secret }: Credential,
  others: OtherSecrets,
  nowSeconds: number,
): DoctorReport {
  const otherSecrets = (['REVOKED', 'OTHER_MODE'] as const).flatMap((whose): KnownSecret[] => {
    const other = others[whose];
    return other === undefined ? [] : [{ secret: other, whose, name: 'the one at hand' }];
  });
  const active: KnownSecret = { secret, whose: 'ACTIVE', name: apiKey };
  const known = { apiKey, isRevoked: false, secrets: [active, ...otherSecrets] };
  const examined = diagnoseGiven(given, known, nowSeconds);
  return { ...examined, rightSignature: signCanonical(secret, ourString(examined.request)) };
}
