import { type GoLiveFacts, isFilledIn, profileFields } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';

export type ProfileField = keyof GoLiveFacts['profile'];

/** What each field of the profile is called. */
export const profileLabels: Record<ProfileField, string> = {
  legalName: 'Legal name',
  country: 'Country',
  currency: 'Currency',
  contactEmail: 'Contact email',
  supportEmail: 'Support email',
  website: 'Website',
};

/** Which fields of a profile go-live still asks for, by their names on the page. */
export const missingLabels = (partner: PartnerDoc): string[] =>
  profileFields.filter((name) => !isFilledIn(partner[name])).map((name) => profileLabels[name]);
