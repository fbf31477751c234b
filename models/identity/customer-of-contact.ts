import type { KeyObject } from 'node:crypto';
import { customerIdentity, normalizePhone } from '../../domain/customer.ts';
import { normalizeEmail } from '../../domain/email.ts';
import { customerIdOf } from '../../platform/hashing.ts';
import type { PartnerDoc } from '../schemas/partners.ts';

/**
 * The id that a partner's customer with this email address or phone number has or would have.
 * @param contact as somebody typed it
 * @returns `cus_…`
 * @throws ServiceError VALIDATION_FAILED if it identifies nobody
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
