import type { CustomerBalance } from '../../../domain/draft.ts';
import { mustNotGoNegative } from '../../../domain/postings.ts';
import { isGenuine } from '../../ledger/index.ts';
import type { EntryDoc } from '../../schemas/entries.ts';
import { awaitingFundingIndex } from '../../schemas/rewards.ts';
import { atOneMoment } from '../at-one-moment.ts';
import type { AuditDeps, Check } from '../audit.ts';
import { type AuditedLedger, walletsIn } from '../ledgers.ts';
import { byBytes, pageSize, pagesOf } from '../pages.ts';
import type { Finding, Report } from '../report.ts';

/**
 * Replays the entries of every wallet from the first: they are numbered without a gap, each is bound to
 * the one before it and as it was written, and what they leave is what the wallet and the customers hold.
 */
export function walletsReplay(ledger: AuditedLedger): Check {
  const rows = {
    unbroken: `${ledger.name}: chains are unbroken`,
    genuine: `${ledger.name}: no entry is forged or changed`,
    sums: `${ledger.name}: balances equal the sum of their entries`,
    solvent: `${ledger.name}: nobody’s account is below zero`,
    held: `${ledger.name}: wallets and customers hold what the entries leave`,
    waiting: `${ledger.name}: each wallet knows how many rewards wait for it`,
  };
  return {
    name: rows.unbroken,
    async run(deps, report) {
      for (const row of Object.values(rows)) report.looked(row, 0);
      for await (const partnerId of deps.partners()) {
        for (const walletId of await walletIdsOf(deps, partnerId)) {
          await replay(deps, report, { partnerId, walletId });
        }
      }
    },
  };

  async function walletIdsOf({ models }: AuditDeps, partnerId: string): Promise<Set<string>> {
    const ids = new Set<string>(
      await models.wallets.distinct('_id', { partnerId, mode: ledger.mode }),
    );
    for await (const walletId of walletsIn(ledger, partnerId)) ids.add(walletId);
    return ids;
  }

  async function replay(
    deps: AuditDeps,
    report: Report,
    of: { partnerId: string; walletId: string },
  ): Promise<void> {
    const { models, hashKey, pace } = deps;
    const { partnerId, walletId } = of;
    const where = `partner ${partnerId}, wallet ${walletId}`;
    // The newest entry first: the wallet, read after it, has at least its number.
    const newest = await ledger.model.findOne(of, { seq: 1 }).sort({ seq: -1 });
    const wallet = await models.wallets.collection.findOne({ partnerId, _id: walletId });
    const seq = Math.max(newest?.seq ?? 0, wallet?.seq ?? 0);
    const balances = new Map<string, number>();
    let last = { seq: 0, hash: '' };
    const read = (before: EntryDoc | undefined) =>
      ledger.model
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
      for (const row of [rows.unbroken, rows.genuine, rows.sums, rows.solvent]) {
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
    if (ledger.mode === 'LIVE') await compareCustomers(deps, report, partnerId, balances);
    await compareWaiting(deps, report, of);
  }

  /** Customers may have moved since: those that differ are looked at again. */
  async function compareCustomers(
    deps: AuditDeps,
    report: Report,
    partnerId: string,
    balances: ReadonlyMap<string, number>,
  ): Promise<void> {
    const { models } = deps;
    const left = new Set(
      [...balances.keys()].flatMap(
        (account) =>
          /^(?:payable|points|held|heldPoints|writeOff|pointsWriteOff):(.+)$/.exec(account)?.[1] ??
          [],
      ),
    );
    const suspect = (customerId: string, text: string) =>
      report.suspect(rows.held, text, () => lookAtCustomer(partnerId, customerId));
    const read = (last: { _id: string } | undefined) =>
      models.customerBalances
        .find({ partnerId, ...(last && { _id: { $gt: last._id } }) })
        .sort({ _id: 1 })
        .limit(pageSize);
    for await (const customers of pagesOf<CustomerBalance>(read)) {
      for (const customer of customers) {
        const { _id } = customer;
        left.delete(_id);
        const isRight = fields.every(
          ({ kind, field }) => (balances.get(`${kind}:${_id}`) ?? 0) === customer[field],
        );
        if (!isRight) suspect(_id, `partner ${partnerId}: ${_id} holds something else`);
        const kept = unsettledOf(customer);
        if (kept !== undefined) report.fault(rows.held, `partner ${partnerId}: ${_id} ${kept}`);
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
          const [entry] = await ledger.model
            .find({ partnerId, 'postings.account': account })
            .sort({ walletId: 1, seq: -1 })
            .limit(1);
          return entry?.postings.find((one) => one.account === account)?.balanceAfter ?? 0;
        }),
      );
      const held = await models.customerBalances.findOne({ partnerId, _id: customerId });
      const has = fields.map(({ field }) => held?.[field] ?? 0);
      if (has.every((amount, place) => amount === said[place])) return undefined;
      const named = (amounts: readonly (number | undefined)[]) =>
        fields.map(({ what }, place) => `${amounts[place] ?? 0} ${what}`).join(', ');
      const text = `${customerId} holds ${named(has)}, the entries say ${named(said)}`;
      return { text: `partner ${partnerId}: ${text}` };
    }
  }

  async function compareWaiting(
    { models }: AuditDeps,
    report: Report,
    { partnerId, walletId }: { partnerId: string; walletId: string },
  ): Promise<void> {
    report.looked(rows.waiting, 1);
    const look = async (): Promise<Finding | undefined> => {
      const state = 'AWAITING_FUNDING' as const;
      const [count, known] = await atOneMoment(models, async (moment) => {
        const waiting = { partnerId, walletId, state };
        const found = await models.rewards.collection.countDocuments(waiting, {
          ...moment,
          hint: awaitingFundingIndex,
        });
        const id = { partnerId, _id: walletId };
        return [found, (await models.wallets.collection.findOne(id, moment))?.waiting ?? 0];
      });
      if (known === count) return undefined;
      const text = `partner ${partnerId}, wallet ${walletId}: it knows of ${known}, and ${count} wait`;
      return { text };
    };
    const found = await look();
    if (found) report.suspect(rows.waiting, found.text, look);
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
    if (/^(payable|points|held|heldPoints):/.test(name)) continue;
    shared.set(name, (shared.get(name) ?? 0) + balance);
  }
  return Object.fromEntries([...shared].toSorted(([a], [b]) => byBytes(a, b)));
}

/** The name of an entry in the result, for whoever has to investigate. */
function nameOf({ _id, reference, partnerId, walletId, seq, rewardId }: EntryDoc): string {
  const reward = rewardId === null ? '' : `, reward ${rewardId}`;
  return `${_id} (${reference}), partner ${partnerId}, wallet ${walletId}, number ${seq}${reward}`;
}
