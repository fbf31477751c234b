import Joi from 'joi';
import { type ChosenBranding, isOnWebsite, isSeenOnWhite } from '../../domain/branding.ts';
import { invalidFields } from '../../domain/errors.ts';
import { languages } from '../../domain/languages.ts';
import { looksLikeLink } from '../../domain/merchant-names.ts';
import { timeZones } from '../../domain/time-zones.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { AuditDeps } from '../deps.ts';
import { idField, shortText } from '../fields.ts';
import { operation } from '../operation.ts';

/** Changes a partner's branding in messages to its customers and on their pages. */
export const updateBranding = operation({
  name: 'branding.update',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string } & ChosenBranding>({
    partnerId: idField,
    language: Joi.valid(...languages).required(),
    timeZone: Joi.valid(...timeZones, null).required(),
    color: Joi.string()
      .pattern(/^#[0-9a-f]{6}$/)
      .allow(null)
      .required(),
    spendText: shortText(200).allow(null).required(),
    spendUrl: Joi.string().uri({ scheme: 'https' }).max(500).allow(null).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, ...details }) => ({ targetId: partnerId, partnerId, details }),

  /** @throws ServiceError VALIDATION_FAILED naming each field that would be unreadable or mislead customers */
  async run(
    { models }: AuditDeps,
    { partnerId: _id, ...branding },
    { found: { website } },
  ): Promise<void> {
    const problems = problemsOf(branding, website);
    if (Object.keys(problems).length > 0) throw invalidFields(problems);
    const chosen = Object.entries(branding).map(([name, value]) => [`branding.${name}`, value]);
    await models.partners.updateOne({ _id }, { $set: Object.fromEntries(chosen) });
  },
});

function problemsOf(
  { color, spendText, spendUrl }: ChosenBranding,
  website: string | null,
): Record<string, string> {
  return {
    ...(color !== null &&
      !isSeenOnWhite(color) && {
        color:
          'This colour is too light: it needs a contrast of at least 3 to 1 with white. Choose a darker one.',
      }),
    // The only link must be the one to the reviewed website, so the text must not contain any.
    ...(spendText !== null &&
      looksLikeLink(spendText) && {
        spendText:
          'The text looks like a link: leave a space after each dot, and use the field for the link.',
      }),
    ...(spendUrl !== null &&
      !isOnWebsite(spendUrl, website) && {
        spendUrl:
          website === null
            ? 'Enter your website in the profile first: the link must lead to one of its pages.'
            : `The link must lead to a page of your website, ${website}, and begin with https://.`,
      }),
  };
}
