import type { KeyObject } from 'node:crypto';
import { customerIdentity, normalizeEmail, normalizePhone } from '../../domain/customer.ts';
import { customerIdOf } from '../../platform/hashing.ts';
import type { PartnerDoc } from '../schemas/partners.ts';

/**
 * The id that a partner's customer with this email address or phone number has or would have.
 * @param contact as somebody typed it
 * @returns `cus_…`
 */
export function customerOfContact(
  hashKey: KeyObject,
  { _id: partnerId, country }: Pick<PartnerDoc, '_id' | 'country'>,
  contact: { email?: string | undefined; phone?: string | undefined },
): string {
  const identity = customerIdentity({
    email: normalizeEmail(contact.email),
    phone: normalizePhone(contact.phone, country),
  });
  return customerIdOf(hashKey, partnerId, identity);
}
