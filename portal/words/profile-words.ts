import {
  type GoLiveEvidence,
  goLiveProfile,
  isFilledIn,
  profileFields,
} from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';

export type ProfileField = keyof GoLiveEvidence['profile'];

/** Labels of the profile's fields. */
export const profileLabels: Readonly<Record<ProfileField, string>> = {
  legalName: 'Legal name',
  country: 'Country',
  timeZone: 'Time zone',
  currency: 'Currency',
  contactEmail: 'Contact email',
  supportEmail: 'Support email',
  website: 'Website',
};

/** Labels of the fields that go-live needs and that are missing. */
export function missingLabels(partner: PartnerDoc): string[] {
  const profile = goLiveProfile(partner);
  return profileFields
    .filter((name) => !isFilledIn(profile[name]))
    .map((name) => profileLabels[name]);
}

/** A partner's field in words: `maxRewardCents` as `Max reward`. */
export function wordsOfField(name: string): string {
  const label = Object.entries(profileLabels).find(([field]) => field === name)?.[1];
  if (label !== undefined) return label;
  const words = name
    .replace(/(Cents|Micros)$/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
