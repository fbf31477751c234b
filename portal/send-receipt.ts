import type { Receipt } from '../clients/typescript/types.ts';
import type { PageContext } from './context.ts';

/** Sends a receipt as a file, indented for readers. */
export function sendReceipt(ctx: PageContext, receipt: Receipt): void {
  ctx.set('Content-Disposition', `attachment; filename="receipt-${receipt.rewardId}.json"`);
  ctx.type = 'application/json';
  ctx.body = `${JSON.stringify(receipt, null, 2)}\n`;
}
