import { TypedSearchAttributes } from '@temporalio/common';
import type { Mode } from '../domain/events.ts';
import { attributes } from '../workflows/messages.ts';

/** What an operator sees of a workflow before opening it (domain, Workflows). */
export interface PurchaseHeading {
  partnerId: string;
  mode: Mode;
  externalOrderId: string;
  rewardId: string;
}

/** Temporal takes 400 bytes of summary; an order id may have 160 characters of four bytes. */
const maxSummaryOrderChars = 60;

export function startOptions({ partnerId, mode, externalOrderId, rewardId }: PurchaseHeading) {
  const order =
    externalOrderId.length > maxSummaryOrderChars
      ? `${[...externalOrderId].slice(0, maxSummaryOrderChars).join('')}…`
      : externalOrderId;
  return {
    searchAttributes: new TypedSearchAttributes([
      { key: attributes.partnerId, value: partnerId },
      { key: attributes.mode, value: mode },
      { key: attributes.externalOrderId, value: externalOrderId },
      { key: attributes.rewardId, value: rewardId },
      { key: attributes.rewardStatus, value: 'PENDING' },
    ]),
    summary: `${mode} order ${order}`,
    details: `Reward ${rewardId} of partner ${partnerId}, ${mode}.`,
  };
}
