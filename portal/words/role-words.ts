import { partnerRoles } from '../../domain/partner-roles.ts';
import { wordsOf } from '../html/components.ts';
import { say } from './say.ts';

export const roleChoices = partnerRoles.map((value) => ({ value, text: wordsOf(value) }));
export const roleHint = () => say('role.hint.text');
