import { type GoLiveFacts, isFilledIn, profileFields } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import { type PlainKey, say } from './say.ts';

export type ProfileField = keyof GoLiveFacts['profile'];

/** Labels of the profile's fields. */
export const profileLabels: Readonly<Record<ProfileField, PlainKey>> = {
  legalName: 'profile.legalName',
  country: 'profile.country',
  currency: 'profile.currency',
  contactEmail: 'profile.contactEmail',
  supportEmail: 'profile.supportEmail',
  website: 'profile.website',
};

/** Labels of the fields that go-live needs and that are missing. */
export const missingLabels = (partner: PartnerDoc): string[] =>
  profileFields
    .filter((name) => !isFilledIn(partner[name]))
    .map((name) => say(profileLabels[name]));
