import type { PeriodTerms } from './billing.ts';
import type { CustomerDayPoints } from './customer-days.ts';
import type { Due } from './due.ts';
import type { Invoice } from './invoice.ts';
import { Known, NotReadError } from './known.ts';
import type { Mode } from './mode.ts';
import type { EndedWindow, Ending, PointsEnd } from './points-end.ts';
import { balance, mustNotGoNegative, type Posting } from './postings.ts';
import type { Redemption } from './redemption.ts';
import type { CountedIn, Reward } from './reward.ts';
import { type RewardTotals, totalsAfter } from './reward-totals.ts';
import type { BudgetUse } from './rule-budgets.ts';
import type { Subscription } from './subscription.ts';
import type { Announcement } from './webhooks.ts';

/** A partner's money in one mode. */
export interface Wallet {
  /** `walletIdOf` */
  _id: string;
  partnerId: string;
  mode: Mode;
  /** The balances of its own accounts, by name; an account without a posting is absent. */
  balances: Readonly<Record<string, number>>;
  /** The number of its newest entry; 0 before the first. */
  seq: number;
  /** The hash of its newest entry; empty before the first. */
  hash: string;
  /** What its rewards come to, by currency and state. */
  rewards: RewardTotals;
  /** Those of its waiting rewards that let the others pass, by id; absent until one did. */
  passed?: readonly string[];
  /** When its customers' points end; absent or null while they do not. */
  pointsEnd?: PointsEnd | null;
  /** Set while the next of them can be funded. */
  due: Due<'FUND'> | null;
  /** The number of commits that took it. */
  version: number;
}

/** What a customer of a partner is owed and holds, in one mode. */
export interface CustomerBalance {
  /** `<partner>/<mode>/<customer>` */
  _id: string;
  partnerId: string;
  mode: Mode;
  customerId: string;
  payableCents: number;
  /** Those that can be spent. */
  points: number;
  /** What is held at a checkout, in cents and points. */
  heldCents: number;
  heldPoints: number;
  /** What was written off of them and is not settled, in cents and points. */
  writtenOffCents: number;
  writtenOffPoints: number;
  /** What has ended and no refund has meant since, in cents and points; absent until something did. */
  endedCents?: number;
  endedPoints?: number;
  ended?: EndedWindow;
  /** Absent before the first activity while points end. */
  ending?: Ending;
}

/** The points counted in a billing period, or in a calendar month without a subscription. */
export interface UsagePeriod {
  /** `usagePeriodId` */
  _id: string;
  partnerId: string;
  subscriptionId: string | null;
  /** ISO 8601. */
  start: string;
  points: number;
  /** The terms that it was billed on; null while it is open. */
  billedOn: PeriodTerms | null;
}

/** The points and their cost, in cents, of the LIVE rewards funded on a UTC day. */
export interface DayUse {
  points: number;
  cents: number;
}

/** A posting, with the balance of its account after it. */
export interface EntryPosting extends Posting {
  balanceAfter: number;
}

/** An entry of a wallet's ledger, before its id and hashes are known. */
export interface EntryDraft {
  seq: number;
  /** Identifies what it is for; unique within the wallet. */
  reference: string;
  kind: string;
  rewardId: string | null;
  /** The id of the entry that it reverses; absent in all others. */
  reverses?: string;
  postings: EntryPosting[];
}

/** A document that a fact inserts, and that no other fact is decided on. */
export interface Insert {
  into: 'orderEvents' | 'reviews' | 'invoices' | 'redemptionEvents' | 'pointsEnds';
  document: { _id: string };
}

/** A change of one document, which has to match the filter. */
export interface Update {
  of: 'reviews' | 'orderEvents';
  filter: { partnerId: string; _id: string };
  change: object;
}

/** What a group of facts of one partner is decided on. Reading anything else of it throws. */
export interface Read {
  partnerId: string;
  /** Null if the facts move no money. */
  wallet: Wallet | null;
  rewards: Known<Reward>;
  /** Rewards that are not stored, since their purchases have not begun, as those make them. */
  made: Known<Reward>;
  redemptions: Known<Redemption>;
  /** By `customerId`. */
  customers: Known<CustomerBalance>;
  periods: Known<UsagePeriod>;
  subscriptions: Known<Subscription>;
  invoices: Known<Invoice>;
  /** The number of the partner's newest invoice; 0 without any, null if it was not read. */
  lastInvoice: number | null;
  customerDays: Known<CustomerDayPoints>;
  budgets: Known<BudgetUse>;
  /** The ids of the first rewards that wait for the wallet, in order. */
  queue: readonly string[];
}

/** What was read, by kind; nothing of the kinds that are left out. */
export const readOf = ({
  wallet = null,
  lastInvoice = null,
  queue = [],
  ...found
}: {
  [Kind in keyof Read]?: Read[Kind] extends Known<infer Doc>
    ? ReadonlyMap<string, Doc | undefined>
    : Read[Kind];
} & Pick<Read, 'partnerId'>): Read => ({
  partnerId: found.partnerId,
  wallet,
  rewards: new Known('reward', found.rewards ?? new Map()),
  made: new Known('reward to begin', found.made ?? new Map()),
  redemptions: new Known('redemption', found.redemptions ?? new Map()),
  customers: new Known('customer', found.customers ?? new Map()),
  periods: new Known('period', found.periods ?? new Map()),
  subscriptions: new Known('subscription', found.subscriptions ?? new Map()),
  invoices: new Known('invoice', found.invoices ?? new Map()),
  lastInvoice,
  customerDays: new Known('customer’s day', found.customerDays ?? new Map()),
  budgets: new Known('budget', found.budgets ?? new Map()),
  queue,
});

/** An account that holds somebody's money or points would go below zero. */
export class OverdrawnError extends Error {
  override name = 'OverdrawnError';
}

/**
 * The state that a group of facts is decided on, and what they change. The facts are decided one after
 * the other, each on a layer over the state as those before it left it; then all of it is written together.
 */
export class Draft implements Read {
  readonly partnerId: string;
  wallet: Wallet | null;
  readonly rewards: Known<Reward>;
  readonly made: Known<Reward>;
  readonly redemptions: Known<Redemption>;
  readonly customers: Known<CustomerBalance>;
  readonly periods: Known<UsagePeriod>;
  readonly subscriptions: Known<Subscription>;
  readonly invoices: Known<Invoice>;
  lastInvoice: number | null;
  readonly customerDays: Known<CustomerDayPoints>;
  readonly budgets: Known<BudgetUse>;
  queue: readonly string[];
  /** What is added to the use of UTC days, by the period that it is counted in. */
  readonly days = new Map<string, Map<string, DayUse>>();
  readonly entries: EntryDraft[] = [];
  readonly webhooks: Announcement[] = [];
  readonly inserts: Insert[] = [];
  readonly updates: Update[] = [];

  constructor(read: Read) {
    this.partnerId = read.partnerId;
    this.wallet = read.wallet;
    this.rewards = read.rewards.layer();
    this.made = read.made;
    this.redemptions = read.redemptions.layer();
    this.customers = read.customers.layer();
    this.periods = read.periods.layer();
    this.subscriptions = read.subscriptions.layer();
    this.invoices = read.invoices.layer();
    this.lastInvoice = read.lastInvoice;
    this.customerDays = read.customerDays.layer();
    this.budgets = read.budgets.layer();
    this.queue = read.queue;
  }

  /** Decides a fact. If it throws, the draft stays as it was. */
  decide<Outcome>(fact: (draft: Draft) => Outcome): Outcome {
    const layer = new Draft(this);
    const outcome = fact(layer);
    this.#keep(layer);
    return outcome;
  }

  #keep(layer: Draft): void {
    this.wallet = layer.wallet;
    this.rewards.keep(layer.rewards);
    this.redemptions.keep(layer.redemptions);
    this.customers.keep(layer.customers);
    this.periods.keep(layer.periods);
    this.subscriptions.keep(layer.subscriptions);
    this.invoices.keep(layer.invoices);
    this.lastInvoice = layer.lastInvoice;
    this.customerDays.keep(layer.customerDays);
    this.budgets.keep(layer.budgets);
    this.queue = layer.queue;
    for (const [periodId, days] of layer.days) {
      for (const [day, use] of days) this.addToDay({ periodId, day }, use);
    }
    this.entries.push(...layer.entries);
    this.webhooks.push(...layer.webhooks);
    this.inserts.push(...layer.inserts);
    this.updates.push(...layer.updates);
  }

  /** @returns the number of the partner's next invoice */
  numberInvoice(): number {
    if (this.lastInvoice === null) throw new NotReadError('the newest invoice was not read');
    this.lastInvoice += 1;
    return this.lastInvoice;
  }

  addToDay({ periodId, day }: CountedIn, { points, cents }: DayUse): void {
    const days = this.days.get(periodId) ?? new Map<string, DayUse>();
    const use = days.get(day) ?? { points: 0, cents: 0 };
    days.set(day, { points: use.points + points, cents: use.cents + cents });
    this.days.set(periodId, days);
  }

  /** The balance of an account, in cents or points. */
  balanceOf(account: string): number {
    const { customerId, field } = customerAccount(account);
    if (customerId !== undefined) return this.customers.get(customerId)?.[field] ?? 0;
    return this.wallet?.balances[account] ?? 0;
  }

  /**
   * Appends an entry to the wallet's ledger, unless nothing moves.
   * @param reverses the id of the entry that it reverses
   * @throws OverdrawnError if an account that holds somebody's money or points would go below zero
   */
  post(
    kind: string,
    reference: string,
    rewardId: string | null,
    moved: readonly Posting[],
    reverses?: string,
  ): void {
    const postings = balance(
      moved,
      moved.map(({ account }) => account),
    );
    if (postings.length === 0) return;
    const { wallet } = this;
    if (wallet === null) throw new Error(`${reference} moves money without a wallet`);
    const balances: Record<string, number> = { ...wallet.balances };
    const made = postings.map((posting): EntryPosting => {
      const { account } = posting;
      const balanceAfter = this.#balanceAfter(reference, posting);
      if (!this.#setOfCustomer(wallet, account, balanceAfter)) balances[account] = balanceAfter;
      // The wallet knows what was written off in all.
      const [, lost] = /^(writeOff|pointsWriteOff):/.exec(account) ?? [];
      if (lost !== undefined) balances[lost] = (balances[lost] ?? 0) + posting.amount;
      return { ...posting, balanceAfter };
    });
    const seq = wallet.seq + 1;
    const reversal = reverses === undefined ? {} : { reverses };
    const entry = { seq, reference, kind, rewardId, ...reversal, postings: made };
    this.entries.push(entry);
    this.wallet = { ...wallet, balances, seq };
    for (const { account } of made) this.#spendFirstWhatEnds(account);
  }

  /** Of what a customer spends or loses, what can end goes first: what never ends is at most what is left. */
  #spendFirstWhatEnds(account: string): void {
    const { customerId, field } = customerAccount(account);
    if (customerId === undefined || (field !== 'points' && field !== 'heldPoints')) return;
    const customer = this.customers.get(customerId);
    if (customer?.ending === undefined) return;
    const kept = Math.min(customer.ending.kept, customer.points + customer.heldPoints);
    if (kept === customer.ending.kept) return;
    this.setCustomer({ ...customer, ending: { ...customer.ending, kept } });
  }

  /** Puts a customer's balance in the place of the one that was read. */
  setCustomer(customer: CustomerBalance): void {
    this.customers.set(customer.customerId, customer);
  }

  #balanceAfter(reference: string, { account, amount }: Posting): number {
    const balanceAfter = this.balanceOf(account) + amount;
    if (balanceAfter < 0 && mustNotGoNegative(account)) {
      throw new OverdrawnError(`${reference} would take ${account} to ${balanceAfter}`);
    }
    if (!Number.isSafeInteger(balanceAfter)) throw new RangeError('beyond the safe integers');
    return balanceAfter;
  }

  /** @returns whether the account is a customer's */
  #setOfCustomer(wallet: Wallet, account: string, balance: number): boolean {
    const { customerId, field } = customerAccount(account);
    if (customerId === undefined) return false;
    const { _id, partnerId, mode } = wallet;
    const before = this.customers.get(customerId) ?? {
      _id: `${_id}/${customerId}`,
      partnerId,
      mode,
      customerId,
      payableCents: 0,
      points: 0,
      heldCents: 0,
      heldPoints: 0,
      writtenOffCents: 0,
      writtenOffPoints: 0,
    };
    this.customers.set(customerId, { ...before, [field]: balance });
    return true;
  }

  /** Puts a reward in the place of the one that was read, and counts it in the wallet's totals. */
  setReward(reward: Reward): void {
    const { wallet } = this;
    if (wallet === null) throw new Error(`${reward._id} changes without a wallet`);
    const before = this.rewards.get(reward._id);
    this.rewards.set(reward._id, reward);
    const rewards = totalsAfter(wallet.rewards, before, reward);
    if (rewards !== wallet.rewards) this.wallet = { ...wallet, rewards };
  }

  announce(...announcements: Announcement[]): void {
    this.webhooks.push(...announcements);
  }

  insert(into: Insert['into'], document: Insert['document']): void {
    this.inserts.push({ into, document });
  }

  update(update: Update): void {
    this.updates.push(update);
  }
}

/** The fields of a customer's balance, by the kind of account. */
const customerFields = {
  payable: 'payableCents',
  points: 'points',
  held: 'heldCents',
  heldPoints: 'heldPoints',
  writeOff: 'writtenOffCents',
  pointsWriteOff: 'writtenOffPoints',
  ended: 'endedCents',
  endedPoints: 'endedPoints',
} as const;

/** The customer of a customer's account, and the field of its balance; undefined for other accounts. */
function customerAccount(account: string): {
  customerId: string | undefined;
  field: (typeof customerFields)[keyof typeof customerFields];
} {
  const [, kind, customerId] =
    /^(payable|points|held|heldPoints|writeOff|pointsWriteOff|ended|endedPoints):(.+)$/.exec(
      account,
    ) ?? [];
  return { customerId, field: customerFields[(kind ?? 'points') as keyof typeof customerFields] };
}
