import type { PartnerDoc } from '../schemas/partner.ts';

declare const ofOnePartner: unique symbol;

/**
 * The partner whose rows alone a view reads: an id that only `scopeOf` makes, from a partner that was
 * looked up. A page that forgets whose rows it shows, or takes an id out of a path, does not compile.
 */
export type PartnerScope = string & { readonly [ofOnePartner]: true };

export const scopeOf = ({ _id }: Pick<PartnerDoc, '_id'>): PartnerScope => _id as PartnerScope;
