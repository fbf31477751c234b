import { type GoLiveFacts, isFilledIn, profileFields } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import { type PlainKey, say } from './say.ts';

export type ProfileField = keyof GoLiveFacts['profile'];

/** What each field of the profile is called. */
export const profileLabels: Readonly<Record<ProfileField, PlainKey>> = {
  legalName: 'profile.legalName',
  country: 'profile.country',
  currency: 'profile.currency',
  contactEmail: 'profile.contactEmail',
  supportEmail: 'profile.supportEmail',
  website: 'profile.website',
};

/** Which fields of a profile go-live still asks for, by their names on the page. */
export const missingLabels = (partner: PartnerDoc): string[] =>
  profileFields
    .filter((name) => !isFilledIn(partner[name]))
    .map((name) => say(profileLabels[name]));
