import type { Check } from './audit.ts';
import type { AuditedChain } from './audited-chains.ts';
import { anchorsCheck } from './checks/anchors.ts';
import { movesAreAnnounced } from './checks/announced-moves.ts';
import { balanced } from './checks/balanced.ts';
import { chainsCheck } from './checks/chains.ts';
import { invoiceEntries, invoicesAreRight } from './checks/invoices.ts';
import { openRewardsRun } from './checks/open-rewards.ts';
import { ownMode } from './checks/own-mode.ts';
import { purchaseHasReward } from './checks/purchase-has-reward.ts';
import { hasOperation, recordedOperations } from './checks/recorded-operations.ts';
import { rewardEntries } from './checks/reward-entries.ts';
import { rewardHasPurchase } from './checks/reward-has-purchase.ts';
import { rewardMoves } from './checks/reward-moves.ts';
import { rewardTotals } from './checks/reward-totals.ts';
import { twoPeople } from './checks/two-people.ts';
import { unfinishedOperations } from './checks/unfinished-operations.ts';
import { usageEntries } from './checks/usage-entries.ts';
import { usageOfRewards } from './checks/usage-of-rewards.ts';
import {
  checkOf,
  entrySource,
  invoiceEntrySource,
  invoiceSource,
  operationSource,
  purchaseSource,
  rewardSource,
  usageEntrySource,
} from './sources.ts';

/** All checks of the audit (docs/domain.md, Accounting), in the order of its result. */
export function allChecks(chains: readonly AuditedChain[]): Check[] {
  return [
    ...chains.flatMap((audited) => {
      const { name, doubleEntry } = audited;
      const entries = entrySource(audited);
      return [
        ...(doubleEntry ? [checkOf(entries, balanced(name))] : []),
        chainsCheck(audited),
        anchorsCheck(audited),
        ...(doubleEntry
          ? [
              checkOf(entries, ownMode(name, doubleEntry)),
              checkOf(entries, rewardEntries(name, doubleEntry.mode)),
              checkOf(entries, hasOperation(name, doubleEntry.mode)),
            ]
          : []),
      ];
    }),
    checkOf(operationSource, recordedOperations),
    unfinishedOperations,
    twoPeople,
    checkOf(purchaseSource, purchaseHasReward),
    checkOf(rewardSource, rewardHasPurchase),
    checkOf(rewardSource, rewardMoves),
    checkOf(rewardSource, movesAreAnnounced),
    rewardTotals,
    checkOf(rewardSource, usageOfRewards),
    checkOf(usageEntrySource, usageEntries),
    checkOf(invoiceSource, invoicesAreRight),
    checkOf(invoiceEntrySource, invoiceEntries),
    openRewardsRun,
  ];
}
