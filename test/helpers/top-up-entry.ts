import type { WalletRef } from '../../domain/postings.ts';
import type { AuditEntryDoc } from '../../models/schemas/audit.ts';
import { newId } from '../../platform/ids.ts';

/** The completed audit entry of an operator's top-up, for tests that write to the ledger themselves. */
export function topUpEntry(
  wallet: WalletRef,
  details: { reference: string; amountCents: number },
): AuditEntryDoc {
  const action = wallet.mode === 'LIVE' ? 'partner.top-up' : 'test-funding.add';
  return {
    _id: newId('audit'),
    actorId: 'opr_1',
    approvedBy: null,
    requestId: 'req_1',
    action,
    partnerId: wallet.partnerId,
    targetId: wallet.partnerId,
    details,
    once: null,
    status: 'DONE',
    at: new Date(),
    completedAt: new Date(),
  };
}
