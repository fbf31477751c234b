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
  /** The header's right value: whoever runs this has the secret. */
  rightSignature: string;
}

/** Secrets that may have signed beside the right one, where they are at hand. */
export type OtherSecrets = Partial<Record<'REVOKED' | 'OTHER_MODE', string | undefined>>;

/** Holds what was signed against what the service would build, and works the right signature out. */
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
