import type { Check } from './audit.ts';
import { anchorsCheck } from './checks/anchors.ts';
import { movesAreAnnounced } from './checks/announced-moves.ts';
import { balanced } from './checks/balanced.ts';
import { budgetsCount } from './checks/budgets.ts';
import { correctionsNameTopUps } from './checks/corrections.ts';
import { creditsAreRight, invoiceEntries, invoicesAreRight } from './checks/invoices.ts';
import { entriesAreLogged } from './checks/logged-entries.ts';
import { loneOperators } from './checks/lone-operators.ts';
import { openRewardsRun } from './checks/open-rewards.ts';
import { ownMode } from './checks/own-mode.ts';
import { endsAreRight, pointsEndOnTime } from './checks/points-end.ts';
import { policyDecisions } from './checks/policy-decisions.ts';
import { purchaseHasReward } from './checks/purchase-has-reward.ts';
import { hasOperation, recordedOperations } from './checks/recorded-operations.ts';
import { entriesHaveRedemptions, redemptionsAreBooked } from './checks/redemptions.ts';
import { rewardEntries } from './checks/reward-entries.ts';
import { rewardHasPurchase } from './checks/reward-has-purchase.ts';
import { rewardMoves } from './checks/reward-moves.ts';
import { rewardTotals } from './checks/reward-totals.ts';
import { settlementsFollowGains } from './checks/settlements.ts';
import { treeHeadsHold } from './checks/tree-heads.ts';
import { twoPeople } from './checks/two-people.ts';
import { unfinishedOperations } from './checks/unfinished-operations.ts';
import { usageIsRight } from './checks/usage.ts';
import { walletsReplay } from './checks/wallets.ts';
import type { AuditedLedger } from './ledgers.ts';
import {
  checkOf,
  endingSource,
  entrySource,
  invoiceEntrySource,
  invoiceSource,
  operationSource,
  purchaseSource,
  redemptionSource,
  rewardSource,
} from './sources.ts';

/** The checks that look at no partner, or also at what belongs to none. */
export const sharedChecks: Check[] = [
  unfinishedOperations,
  twoPeople,
  openRewardsRun,
  treeHeadsHold,
];

/** The checks of a partner (docs/concepts/money.md), in the order of their result. */
export function partnerChecks(ledgers: readonly AuditedLedger[]): Check[] {
  return [
    ...ledgers.flatMap((ledger) => {
      const { name, mode } = ledger;
      return [
        walletsReplay(ledger),
        anchorsCheck(ledger),
        checkOf(
          entrySource(ledger),
          balanced(name),
          ownMode(ledger),
          rewardEntries(name, mode),
          hasOperation(name, mode),
          entriesHaveRedemptions(ledger),
          settlementsFollowGains(ledger),
          endsAreRight(ledger),
          ...(mode === 'LIVE' ? [correctionsNameTopUps] : []),
        ),
        ...(mode === 'LIVE' ? [checkOf(invoiceEntrySource, invoiceEntries), entriesAreLogged] : []),
      ];
    }),
    checkOf(operationSource, recordedOperations),
    twoPeople,
    loneOperators,
    checkOf(redemptionSource, redemptionsAreBooked),
    checkOf(purchaseSource, purchaseHasReward),
    checkOf(rewardSource, rewardHasPurchase, rewardMoves, movesAreAnnounced, policyDecisions),
    checkOf(endingSource, pointsEndOnTime),
    rewardTotals,
    budgetsCount,
    usageIsRight,
    checkOf(invoiceSource, invoicesAreRight),
    creditsAreRight,
  ];
}
