import type { PartnerDoc } from '../models/schemas/partners.ts';

declare const ofOnePartner: unique symbol;

/**
 * The id of the only partner whose data a view reads. Only `scopeOf` makes one, from a partner that was
 * looked up, so that a page that forgets the scope, or takes an id from a path, does not compile.
 */
export type PartnerScope = string & { readonly [ofOnePartner]: true };

/** The scope of a view for partners and operators: one partner, or `null` for all, for operators only. */
export type ReadScope = PartnerScope | null;

export const scopeOf = ({ _id }: Pick<PartnerDoc, '_id'>): PartnerScope => _id as PartnerScope;

/** The scope as a condition of a query. */
export const inScope = (scope: ReadScope): { partnerId?: PartnerScope } =>
  scope === null ? {} : { partnerId: scope };
