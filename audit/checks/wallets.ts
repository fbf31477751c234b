import type { CustomerBalance, Wallet } from '../../domain/draft.ts';
import { accounts, mustNotGoNegative, walletIdOf } from '../../domain/postings.ts';
import { passedIn } from '../../domain/queue.ts';
import { isGenuine, readWallet } from '../../models/ledger/index.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import { awaitingFundingIndex } from '../../models/schemas/rewards.ts';
import { atOneMoment } from '../at-one-moment.ts';
import type { AuditDeps, Check } from '../audit.ts';
import type { AuditedLedger } from '../ledgers.ts';
import { byBytes, pageSize, pagesOf } from '../pages.ts';
import type { AuditReport, Finding } from '../report.ts';

/**
 * Replays the entries of every wallet from the first: they are numbered without a gap, each is bound to
 * the one before it and as it was written, and what they leave is what the wallet and the customers hold.
 */
export function walletsReplay({ name: ledger, mode }: AuditedLedger): Check {
  const rows = {
    unbroken: `${ledger}: chains are unbroken`,
    genuine: `${ledger}: no entry is forged or changed`,
    sums: `${ledger}: balances equal the sum of their entries`,
    solvent: `${ledger}: nobody’s account is below zero`,
    paid: `${ledger}: the funding pays for every reward${mode === 'LIVE' ? '' : ', once there is any'}`,
    held: `${ledger}: wallets and customers hold what the entries leave`,
    passed: `${ledger}: what lets the others pass waits for funds`,
  };
  return {
    name: rows.unbroken,
    async run(deps, report) {
      for (const row of Object.values(rows)) report.looked(row, 0);
      for await (const partnerId of deps.partners()) {
        await replay(deps, report, partnerId);
      }
    },
  };

  async function replay(deps: AuditDeps, report: AuditReport, partnerId: string): Promise<void> {
    const { models, hashKey, pace } = deps;
    const of = { partnerId, mode };
    const where = `partner ${partnerId}, wallet ${mode}`;
    // The newest entry first: the wallet, read after it, has at least its number.
    const newest = await models.ledger.findOne(of, { seq: 1 }).sort({ seq: -1 });
    const wallet = await readWallet(models, of);
    if (newest === null && wallet === null) return;
    const seq = Math.max(newest?.seq ?? 0, wallet?.seq ?? 0);
    const balances = new Map<string, number>();
    let last = { seq: 0, hash: '' };
    const read = (before: EntryDoc | undefined) =>
      models.ledger
        .find({ ...of, seq: { $gt: before?.seq ?? 0, $lte: seq } })
        .sort({ seq: 1 })
        .limit(pageSize);
    for await (const entries of pagesOf<EntryDoc>(read)) {
      for (const entry of entries) {
        const named = `${nameOf(entry)}`;
        if (entry.seq !== last.seq + 1) {
          report.fault(rows.unbroken, `${named}: it follows number ${last.seq}`);
        } else if (entry.previousHash !== last.hash) {
          report.fault(rows.unbroken, `${named}: it is not bound to the one before it`);
        }
        if (!isGenuine(hashKey, entry)) {
          report.fault(
            rows.genuine,
            `${named}: its hash is not the one that was written originally`,
          );
        }
        if (isUnpaid(entry, balances)) {
          report.fault(rows.paid, `${named}: the money for it did not come from the funding`);
        }
        for (const { account, amount, balanceAfter } of entry.postings) {
          const before = balances.get(account) ?? 0;
          if (balanceAfter !== before + amount) {
            const says = `${account} is ${balanceAfter}, but ${before} plus ${amount}`;
            report.fault(rows.sums, `${named}: ${says} is ${before + amount}`);
          }
          if (balanceAfter < 0 && mustNotGoNegative(account)) {
            report.fault(rows.solvent, `${named}: it leaves ${balanceAfter} in ${account}`);
          }
          balances.set(account, balanceAfter);
        }
        last = entry;
      }
      for (const row of [rows.unbroken, rows.genuine, rows.sums, rows.solvent, rows.paid]) {
        report.looked(row, entries.length);
      }
      await pace();
    }
    report.looked(rows.held, 1);
    if (wallet === null) report.fault(rows.held, `${where}: it does not exist`);
    else if (wallet.seq !== last.seq || wallet.hash !== last.hash) {
      report.fault(
        rows.held,
        `${where}: it is at number ${wallet.seq}, its entries at ${last.seq}`,
      );
    } else {
      for (const [account, balance] of Object.entries(sharedOf(balances))) {
        const held = wallet.balances[account] ?? 0;
        if (held !== balance) {
          report.fault(rows.held, `${where}: it has ${held} in ${account}, its entries ${balance}`);
        }
      }
      const shared = sharedOf(balances);
      const unknown = Object.keys(wallet.balances).find((account) => !(account in shared));
      if (unknown !== undefined) report.fault(rows.held, `${where}: no entry is about ${unknown}`);
    }
    await compareCustomers(deps, report, partnerId, balances);
    await comparePassed(deps, report, partnerId);
  }

  /** Whether an entry reserves what the funding does not pay for, which only a TEST wallet without any may. */
  function isUnpaid({ kind, postings }: EntryDoc, before: ReadonlyMap<string, number>): boolean {
    const isFromCash = postings.some(({ account }) => account === accounts.cash);
    return kind === 'RESERVE' && isFromCash && (mode === 'LIVE' || before.has(accounts.funding));
  }

  /** Customers may have moved since: those that differ are looked at again. */
  async function compareCustomers(
    { models }: AuditDeps,
    report: AuditReport,
    partnerId: string,
    balances: ReadonlyMap<string, number>,
  ): Promise<void> {
    const left = new Set(
      [...balances.keys()].flatMap(
        (account) =>
          /^(?:payable|points|held|heldPoints|writeOff|pointsWriteOff|ended|endedPoints):(.+)$/.exec(
            account,
          )?.[1] ?? [],
      ),
    );
    const suspect = (customerId: string, text: string) =>
      report.suspect(rows.held, text, () => lookAtCustomer(partnerId, customerId));
    const read = (last: CustomerBalance | undefined) =>
      models.customerBalances
        .find({ partnerId, mode, ...(last && { customerId: { $gt: last.customerId } }) })
        .sort({ customerId: 1 })
        .limit(pageSize);
    for await (const customers of pagesOf<CustomerBalance>(read)) {
      for (const customer of customers) {
        const { customerId } = customer;
        left.delete(customerId);
        const isRight = fields.every(
          ({ kind, field }) =>
            (balances.get(`${kind}:${customerId}`) ?? 0) === (customer[field] ?? 0),
        );
        if (!isRight)
          suspect(customerId, `partner ${partnerId}: ${customerId} holds something else`);
        const kept = unsettledOf(customer);
        if (kept !== undefined) {
          report.fault(rows.held, `partner ${partnerId}: ${customerId} ${kept}`);
        }
      }
      report.looked(rows.held, customers.length);
    }
    for (const customerId of left) {
      suspect(customerId, `partner ${partnerId}: ${customerId} has entries and holds nothing`);
    }

    async function lookAtCustomer(
      partnerId: string,
      customerId: string,
    ): Promise<Finding | undefined> {
      const said = await Promise.all(
        fields.map(async ({ kind }) => {
          const account = `${kind}:${customerId}`;
          const entry = await models.ledger
            .findOne({ partnerId, mode, 'postings.account': account })
            .sort({ seq: -1 });
          return entry?.postings.find((one) => one.account === account)?.balanceAfter ?? 0;
        }),
      );
      const held = await models.customerBalances.findOne({ partnerId, mode, customerId });
      const has = fields.map(({ field }) => held?.[field] ?? 0);
      if (has.every((amount, place) => amount === said[place])) return undefined;
      const named = (amounts: readonly (number | undefined)[]) =>
        fields.map(({ what }, place) => `${amounts[place] ?? 0} ${what}`).join(', ');
      const text = `${customerId} holds ${named(has)}, the entries say ${named(said)}`;
      return { text: `partner ${partnerId}, ${mode}: ${text}` };
    }
  }

  async function comparePassed(
    { models }: AuditDeps,
    report: AuditReport,
    partnerId: string,
  ): Promise<void> {
    report.looked(rows.passed, 1);
    const look = async (): Promise<Finding | undefined> => {
      const lost = await atOneMoment(models, async (moment) => {
        const id = { partnerId, _id: walletIdOf({ partnerId, mode }) as never };
        const wallet = await models.wallets.collection.findOne<Wallet>(id, moment);
        const passed = passedIn(wallet ?? {});
        if (passed.length === 0) return 0;
        const ids = { partnerId, mode, state: 'AWAITING_FUNDING', _id: { $in: passed } } as const;
        const options = { ...moment, hint: awaitingFundingIndex };
        return (
          passed.length - (await models.rewards.collection.countDocuments(ids as never, options))
        );
      });
      const text = `${lost} that let the others pass do not wait`;
      return lost > 0 ? { text: `partner ${partnerId}, wallet ${mode}: ${text}` } : undefined;
    };
    const found = await look();
    if (found) report.suspect(rows.passed, found.text, look);
  }
}

/** What a customer holds, by the kind of account. */
const fields = [
  { kind: 'points', field: 'points', what: 'points' },
  { kind: 'payable', field: 'payableCents', what: 'cents' },
  { kind: 'heldPoints', field: 'heldPoints', what: 'points on hold' },
  { kind: 'held', field: 'heldCents', what: 'cents on hold' },
  { kind: 'pointsWriteOff', field: 'writtenOffPoints', what: 'points written off' },
  { kind: 'writeOff', field: 'writtenOffCents', what: 'cents written off' },
  { kind: 'endedPoints', field: 'endedPoints', what: 'points ended' },
  { kind: 'ended', field: 'endedCents', what: 'cents ended' },
] as const;

/** What a customer can spend although as much was written off, beside the point or cent that stays with the rest. */
function unsettledOf({ points, payableCents, ...off }: CustomerBalance): string | undefined {
  if (off.writtenOffPoints > 0 && points > 1) {
    return `can spend ${points} points, and ${off.writtenOffPoints} are written off`;
  }
  if (off.writtenOffCents > 0 && payableCents > 1) {
    return `is owed ${payableCents} cents, and ${off.writtenOffCents} are written off`;
  }
  return undefined;
}

/** The balances of the wallet's own accounts, and what is written off of its customers in all. */
function sharedOf(balances: ReadonlyMap<string, number>): Record<string, number> {
  const shared = new Map<string, number>();
  for (const [account, balance] of balances) {
    const [, name = account] = /^(writeOff|pointsWriteOff):/.exec(account) ?? [];
    if (/^(payable|points|held|heldPoints|ended|endedPoints):/.test(name)) continue;
    shared.set(name, (shared.get(name) ?? 0) + balance);
  }
  return Object.fromEntries([...shared].toSorted(([a], [b]) => byBytes(a, b)));
}

/** The name of an entry in the result, for whoever has to investigate. */
function nameOf({ _id, reference, partnerId, mode, seq, rewardId }: EntryDoc): string {
  const reward = rewardId === null ? '' : `, reward ${rewardId}`;
  return `${_id} (${reference}), partner ${partnerId}, wallet ${mode}, number ${seq}${reward}`;
}
