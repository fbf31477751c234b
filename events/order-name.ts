import type { KeyObject } from 'node:crypto';
import { containsContact } from '../domain/customer.ts';
import { shortOrderName } from '../domain/workflow-names.ts';
import { shortKeyedHash } from '../platform/hashing.ts';

/**
 * The name of an order in logs and in Temporal, where nothing can be erased: its id or, if that is
 * a customer's address or phone number, a keyed short form, always the same for an order.
 * @param country of the partner
 */
export function orderName(
  hashKey: KeyObject,
  {
    partnerId,
    country,
    externalOrderId,
  }: { partnerId: string; country: string | null; externalOrderId: string },
): string {
  if (!containsContact(externalOrderId, country)) return externalOrderId;
  return shortOrderName(shortKeyedHash(hashKey, `order\n${partnerId}\n${externalOrderId}`));
}
