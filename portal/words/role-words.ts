import { partnerRoles } from '../../domain/partner-roles.ts';
import { wordsOf } from '../html/components.ts';

export const roleChoices = partnerRoles.map((value) => ({ value, text: wordsOf(value) }));
export const roleHint =
  'An owner may do everything; a developer neither money nor LIVE keys; a viewer reads.';
