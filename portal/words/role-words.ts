import { partnerRoles } from '../../domain/partners.ts';
import { wordsOf } from '../html/components.ts';

export const roleChoices = partnerRoles.map((value) => ({ value, text: wordsOf(value) }));
export const roleHint = () =>
  'Owners can do everything, developers everything except money and LIVE keys; viewers can only read.';
