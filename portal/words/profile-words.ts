import { type GoLiveFacts, isFilledIn, profileFields } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import { say } from './say.ts';

export type ProfileField = keyof GoLiveFacts['profile'];

/** What each field of the profile is called. */
export const profileLabels = (): Record<ProfileField, string> => ({
  legalName: say('profile.legalName'),
  country: say('profile.country'),
  currency: say('profile.currency'),
  contactEmail: say('profile.contactEmail'),
  supportEmail: say('profile.supportEmail'),
  website: say('profile.website'),
});

/** Which fields of a profile go-live still asks for, by their names on the page. */
export const missingLabels = (partner: PartnerDoc): string[] =>
  profileFields.filter((name) => !isFilledIn(partner[name])).map((name) => profileLabels()[name]);
