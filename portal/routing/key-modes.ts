import type { Mode } from '../../domain/mode.ts';
import type { PartnerPermission } from '../../domain/partners.ts';
import type { ParamKind } from './params.ts';

/** The permission that the keys of each mode need, and whether a second factor is required. */
export const keyModes = {
  test: {
    mode: 'TEST',
    permission: 'credential.test',
    secondFactor: false,
    kind: 'credential',
    secretKind: 'secret',
  },
  live: {
    mode: 'LIVE',
    permission: 'credential.live',
    secondFactor: true,
    kind: 'liveCredential',
    secretKind: 'liveSecret',
  },
} as const satisfies Record<
  string,
  {
    mode: Mode;
    permission: PartnerPermission;
    secondFactor: boolean;
    kind: ParamKind;
    secretKind: ParamKind;
  }
>;

export const permissionOf = (mode: Mode): PartnerPermission =>
  mode === 'LIVE' ? keyModes.live.permission : keyModes.test.permission;
export const baseOf = (mode: Mode): string => `/keys/${mode.toLowerCase()}`;
