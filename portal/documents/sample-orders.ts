/** A sample of the file that `domain/orders.ts` reads, for people who prepare an export. */
export const sampleOrders = [
  'externalOrderId,subtotal,currency,occurredAt,refunded',
  'ORDER-1001,49.90,USD,2026-01-31T09:30:00+01:00,no',
  'ORDER-1002,120.00,USD,2026-01-31T10:12:45+01:00,no',
  'ORDER-1003,8.50,USD,,yes',
  '',
].join('\r\n');
