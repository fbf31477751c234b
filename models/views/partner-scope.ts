import type { PartnerDoc } from '../schemas/partner.ts';

declare const ofOnePartner: unique symbol;

/**
 * The partner whose rows alone a view reads: an id that only `scopeOf` makes, from a partner that was
 * looked up. A page that forgets whose rows it shows, or takes an id out of a path, does not compile.
 */
export type PartnerScope = string & { readonly [ofOnePartner]: true };

/** Whose rows a view reads that partners and operators share: a partner's, or, `null`, everyone's, for operators alone. */
export type Whose = PartnerScope | null;

export const scopeOf = ({ _id }: Pick<PartnerDoc, '_id'>): PartnerScope => _id as PartnerScope;

/** The same as a condition. */
export const ownedBy = (whose: Whose): { partnerId?: PartnerScope } =>
  whose === null ? {} : { partnerId: whose };
