import type { KeyObject } from 'node:crypto';
import { hasContact } from '../domain/order-names.ts';
import { shortOrderName } from '../domain/workflow-names.ts';
import { shortKeyedHash } from '../platform/hashing.ts';

/**
 * What an order is called in logs and in the workflow engine, where no erasure gets at it: its id, or, where
 * that is a customer's address or number, a keyed short form, of which the same order always has the same.
 * @param country of the partner
 */
export function orderName(
  hashKey: KeyObject,
  {
    partnerId,
    country,
    externalOrderId,
  }: { partnerId: string; country: string; externalOrderId: string },
): string {
  if (!hasContact(externalOrderId, country)) return externalOrderId;
  return shortOrderName(shortKeyedHash(hashKey, `order\n${partnerId}\n${externalOrderId}`));
}
