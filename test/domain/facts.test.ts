import test from 'ava';
import fc from 'fast-check';
import { countedOn, countOn, earningDayOf } from '../../domain/customer-days.ts';
import { Draft, OverdrawnError, type Read, readOf } from '../../domain/draft.ts';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { ServiceError } from '../../domain/errors.ts';
import {
  begin,
  cancel,
  claim,
  correctContact,
  expire,
  fundNext,
  leaveToPolicy,
  letPass,
  mature,
  recordDecision,
  recordTopUp,
  refund,
  reinstate,
  type Terms,
  upholdByPolicy,
} from '../../domain/facts.ts';
import { recordWithdrawal } from '../../domain/funding.ts';
import { oweInvoice } from '../../domain/invoice-facts.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { endPointsOf } from '../../domain/points-end-facts.ts';
import { mustNotGoNegative, type WalletRef } from '../../domain/postings.ts';
import {
  type AskedPart,
  holdMs,
  type Redemption,
  type RedemptionAction,
  type RedemptionStatus,
} from '../../domain/redemption.ts';
import { act, expireHold, recordRedemption } from '../../domain/redemption-facts.ts';
import { leftCentsOf } from '../../domain/refunds.ts';
import {
  applyMove,
  claimedStates,
  IllegalMoveError,
  initialState,
  isFunded,
  type Reward,
} from '../../domain/reward.ts';
import { waitingIn } from '../../domain/reward-totals.ts';
import { type CountedBudget, spendBudget } from '../../domain/rule-budgets.ts';
import { aRedemption, noLimits } from '../helpers/a-redemption.ts';
import { aReward, type RewardInput } from '../helpers/a-reward.ts';
import { aRule, perAmount } from '../helpers/earning-rules.ts';
import { aWallet, contentOf, nothingStored } from '../helpers/read.ts';

const at = new Date('2026-03-10T09:00:00.000Z');
const terms: Terms = { at, lowBalanceThresholdCents: 0, subscription: null };
const partnerId = 'ptr_1';
const onDay = (day: number) => new Date(at.getTime() + day * 86_400_000);

const walletRefs: Record<Mode, WalletRef> = {
  LIVE: { mode: 'LIVE', partnerId },
  TEST: { mode: 'TEST', partnerId },
};

/** What is stored, without a database: facts are decided on it in groups, as commits do. */
class Store {
  readonly ref: WalletRef;
  read: Read;
  entries: Draft['entries'] = [];
  days = { points: 0, cents: 0 };
  /** The rules of rewards, each of an order of 1,000 cents. */
  rules = new Map<string, EarningRule>();

  constructor(mode: Mode) {
    this.ref = walletRefs[mode];
    this.read = readOf({
      ...nothingStored(),
      partnerId,
      wallet: aWallet(this.ref),
    });
  }

  /** Decides facts on one draft, and keeps what they change. @returns the errors of those refused */
  commit(...facts: ((draft: Draft) => unknown)[]): { refused: unknown[]; draft: Draft } {
    const draft = new Draft(this.read);
    const refused: unknown[] = [];
    for (const fact of facts) {
      try {
        draft.decide(fact);
      } catch (error) {
        refused.push(error);
      }
    }
    const { wallet, rewards, entries } = draft;
    const queue = inOrder(rewards.values().filter(({ state }) => state === 'AWAITING_FUNDING'));
    const { redemptions } = draft;
    const { customers, periods, subscriptions, invoices, lastInvoice, customerDays, budgets } =
      draft;
    this.read = {
      partnerId,
      redemptions,
      wallet,
      made: draft.made,
      rewards,
      ...{ customers, periods, subscriptions, invoices, lastInvoice, customerDays, budgets },
      // Fewer than may wait, as in a commit.
      queue: queue.slice(0, 3 + (wallet?.passed?.length ?? 0)).map(({ _id }) => _id),
    };
    this.entries = [...this.entries, ...entries];
    for (const { points, cents } of [...draft.days.values()].flatMap((days) => [
      ...days.values(),
    ])) {
      this.days = { points: this.days.points + points, cents: this.days.cents + cents };
    }
    return { refused, draft };
  }

  /** Commits, and then funds what waits as long as the wallet is woken for it, as the relay does. */
  settle(...facts: ((draft: Draft) => unknown)[]): unknown[] {
    const { refused, ...first } = this.commit(...facts);
    for (let { draft } = first; draft.wallet?.due; ) {
      ({ draft } = this.commit((next) => fundNext(next, terms)));
    }
    return refused;
  }

  /** Points end from a day ago on. */
  letPointsEnd(): void {
    const { wallet } = this.read;
    if (wallet === null) return;
    const pointsEnd = { settingId: 'pte_1', after: 'P12M', since: onDay(-1) } as const;
    this.read = { ...this.read, wallet: { ...wallet, pointsEnd } };
  }

  reward(id: string): Reward {
    const reward = this.read.rewards.get(id);
    if (reward === undefined) throw new Error(`there is no ${id}`);
    return reward;
  }

  balances(): Record<string, number> {
    const { writeOff: _cents, pointsWriteOff: _points, ...own } = this.read.wallet?.balances ?? {};
    const all: Record<string, number> = own;
    for (const one of this.read.customers.values()) {
      const { customerId: _id, payableCents, points, heldCents, heldPoints } = one;
      all[`payable:${_id}`] = payableCents;
      all[`points:${_id}`] = points;
      all[`held:${_id}`] = heldCents;
      all[`heldPoints:${_id}`] = heldPoints;
      all[`writeOff:${_id}`] = one.writtenOffCents;
      all[`pointsWriteOff:${_id}`] = one.writtenOffPoints;
      all[`ended:${_id}`] = one.endedCents ?? 0;
      all[`endedPoints:${_id}`] = one.endedPoints ?? 0;
    }
    return Object.fromEntries(Object.entries(all).filter(([, amount]) => amount !== 0));
  }
}

/** Facts about one store, by what happens. */
function factsOf(store: Store) {
  const held = (draft: Draft, id: string) => {
    const reward = draft.rewards.get(id);
    if (reward === undefined) throw new Error(`there is no ${id}`);
    return reward;
  };
  const { mode } = store.ref;
  const redeemed = (draft: Draft, id: string): Redemption => {
    const redemption = draft.redemptions.get(id);
    if (redemption === undefined) throw new Error(`there is no ${id}`);
    return redemption;
  };
  return {
    begin: (input: RewardInput, pointCents = 0.5) => {
      const { id, points = 100 } = input;
      const value = { pointValueMicros: pointCents * 10_000 };
      store.rules.set(id, aRule(value, perAmount(points, 1_000)));
      const reward = aReward(store.ref, input);
      return (draft: Draft) => {
        spendBudget(draft, reward, at);
        return begin(draft, reward, terms);
      };
    },
    claim: (id: string) => (draft: Draft) => claim(draft, held(draft, id), terms, undefined),
    mature: (id: string) => (draft: Draft) => mature(draft, held(draft, id), terms, true),
    letPass: (id: string) => (draft: Draft) => letPass(draft, held(draft, id), terms),
    expire: (id: string) => (draft: Draft) => expire(draft, held(draft, id), terms, true),
    cancel: (id: string) => (draft: Draft) =>
      cancel(draft, held(draft, id), terms, {
        operatorId: 'opr_1',
        cancelledAt: at.toISOString(),
        sealedReason: '',
      }),
    /** @param amountCents of the 1,000 that each order was of; absent for all that is left */
    refund: (id: string, amountCents?: number) => (draft: Draft) => {
      const reward = held(draft, id);
      const refundEventId = `evt_${id}${reward.version}`;
      const review = { reviewId: `rev_${id}${reward.version}`, openedAt: '', dueMs: 1 };
      const rule = store.rules.get(id) ?? aRule();
      const part = amountCents === undefined ? undefined : { amountCents, rule };
      return refund(draft, reward, terms, { refundEventId, review, part });
    },
    correct: (id: string, customerId: string) => (draft: Draft) =>
      correctContact(draft, held(draft, id), terms, {
        customerId,
        claimTokenHash: `of ${customerId}`,
        sealedContact: '',
      }),
    reinstate: (id: string) => (draft: Draft) => reinstate(draft, held(draft, id), terms),
    decide: (id: string, verdict: 'UPHOLD' | 'DISMISS') => (draft: Draft) => {
      const reward = held(draft, id);
      return recordDecision(draft, reward, terms, {
        reviewId: reward.review?.reviewId ?? '',
        verdict,
      });
    },
    topUp:
      (amountCents: number, externalReference = 'wire') =>
      (draft: Draft) =>
        recordTopUp(draft, store.ref, { amountCents, externalReference }, terms),
    withdraw: (amountCents: number, externalReference: string) => (draft: Draft) =>
      recordWithdrawal(
        draft,
        { partnerId, amountCents, currency: 'USD', externalReference },
        terms,
      ),
    redeem:
      (customerId: string, points: number, externalRedemptionId = 'till', isHeld = false) =>
      (draft: Draft) => {
        const integrationId = isHeld || mode === 'TEST' ? 'int_1' : null;
        const _id = `red_${externalRedemptionId}`;
        const of = { partnerId, customerId, mode, integrationId, _id, externalRedemptionId };
        const made = aRedemption({ ...of, asked: { points }, isHeld });
        return recordRedemption(draft, made, terms, noLimits);
      },
    act: (id: string, action: RedemptionAction, part?: AskedPart) => (draft: Draft) =>
      act(draft, redeemed(draft, id), action, terms, part),
    endHold:
      (id: string, after = holdMs) =>
      (draft: Draft) => {
        const later = { ...terms, at: new Date(at.getTime() + after) };
        return expireHold(draft, redeemed(draft, id), later);
      },
    /** The points of a customer end, whenever they were told. @param nth a time for each */
    end: (customerId: string, nth: number) => (draft: Draft) => {
      const customer = draft.customers.get(customerId);
      if (customer?.ending === undefined) return 0;
      const endsAt = new Date(at.getTime() + nth);
      draft.setCustomer({ ...customer, ending: { ...customer.ending, told: 2, endsAt } });
      const newest = { rewardId: 'r1', externalOrderId: 'r1', integrationId: 'int_1' };
      return endPointsOf(draft, { customerId, newest, isEarly: true }, terms);
    },
    invoice: (totalCents: number) => (draft: Draft) =>
      oweInvoice(draft, { _id: 'inv_1', partnerId, totalCents }, terms),
  };
}

interface Row {
  what: string;
  /** Both by default: with test funding, TEST is as LIVE. */
  mode?: Mode;
  before: (facts: ReturnType<typeof factsOf>) => ((draft: Draft) => unknown)[];
  fact: (facts: ReturnType<typeof factsOf>) => (draft: Draft) => unknown;
  /** The entries that it appends, each as its reference, kind and the amounts moved. */
  entries: [reference: string, kind: string, moved: Record<string, number>][];
  state?: Reward['state'];
  /** The points and cents of the reward afterwards. */
  worth?: [points: number, cents: number];
}

/** Rewards in the order of their purchases. */
const inOrder = (rewards: readonly Reward[]) =>
  rewards.toSorted((one, other) => (one._id < other._id ? -1 : 1));

const r1 = { id: 'r1', points: 100, cents: 50 };
const r2 = { ...r1, id: 'r2' };
const onHold = { ...r1, holdDays: 14 };
const r3 = { ...r1, id: 'r3' };

const rows: Row[] = [
  {
    what: 'a top-up',
    before: () => [],
    fact: ({ topUp }) => topUp(70),
    entries: [['topUp:wire', 'TOP_UP', { cash: -70, funding: 70 }]],
  },
  {
    what: 'a purchase with funds',
    before: ({ topUp }) => [topUp(50)],
    fact: ({ begin }) => begin(r1),
    entries: [['reserve:r1', 'RESERVE', { funding: -50, reserved: 50 }]],
    state: 'FUNDED',
  },
  {
    what: 'a purchase a cent short',
    before: ({ topUp }) => [topUp(49)],
    fact: ({ begin }) => begin(r1),
    entries: [],
    state: 'AWAITING_FUNDING',
  },
  {
    what: 'a purchase that costs nothing',
    before: () => [],
    fact: ({ begin }) => begin({ ...r1, cents: 0 }),
    entries: [],
    state: 'FUNDED',
  },
  {
    what: 'a top-up that the first in the queue waits for',
    before: ({ topUp, begin }) => [topUp(49), begin(r1)],
    fact: ({ topUp }) => topUp(1, 'more'),
    entries: [
      ['topUp:more', 'TOP_UP', { cash: -1, funding: 1 }],
      ['reserve:r1', 'RESERVE', { funding: -50, reserved: 50 }],
    ],
    state: 'FUNDED',
  },
  {
    what: 'a claim',
    before: ({ topUp, begin }) => [topUp(50), begin(r1)],
    fact: ({ claim }) => claim('r1'),
    entries: [
      [
        'claim:r1',
        'CLAIM',
        { reserved: -50, 'payable:cus_1': 50, pointsIssued: -100, 'points:cus_1': 100 },
      ],
    ],
    state: 'AVAILABLE',
  },
  {
    what: 'a claim of an unfunded reward',
    before: ({ topUp, begin }) => [topUp(49), begin(r1)],
    fact: ({ claim }) => claim('r1'),
    entries: [],
    state: 'AWAITING_FUNDING',
  },
  {
    what: 'the end of the window of a funded reward, for whose money another waits',
    before: ({ topUp, begin }) => [topUp(50), begin(r1), begin({ ...r1, id: 'r2' })],
    fact: ({ expire }) => expire('r1'),
    entries: [
      ['release:r1', 'RELEASE', { reserved: -50, funding: 50 }],
      ['reserve:r2', 'RESERVE', { funding: -50, reserved: 50 }],
    ],
    state: 'EXPIRED',
  },
  {
    what: 'the cancellation of an unfunded reward',
    mode: 'LIVE',
    before: ({ begin }) => [begin(r1)],
    fact: ({ cancel }) => cancel('r1'),
    entries: [],
    state: 'CANCELLED',
  },
  {
    what: 'the refund of a funded reward',
    before: ({ topUp, begin }) => [topUp(50), begin(r1)],
    fact: ({ refund }) => refund('r1'),
    entries: [['release:r1', 'RELEASE', { reserved: -50, funding: 50 }]],
    state: 'CANCELLED',
  },
  {
    what: 'the reinstatement of a refunded reward',
    before: ({ topUp, begin, refund }) => [topUp(50), begin(r1), refund('r1')],
    fact: ({ reinstate }) => reinstate('r1'),
    entries: [['reserve:r1:2', 'RESERVE', { funding: -50, reserved: 50 }]],
    state: 'FUNDED',
  },
  {
    what: 'the reinstatement of a refunded reward whose money is gone',
    before: ({ topUp, begin, refund }) => [
      ...[topUp(50), begin(r1), refund('r1'), begin({ ...r1, id: 'r2' })],
    ],
    fact: ({ reinstate }) => reinstate('r1'),
    entries: [],
    state: 'AWAITING_FUNDING',
  },
  {
    what: 'the reinstatement of a reward that a part had reduced before',
    before: ({ topUp, begin, refund }) => [
      ...[topUp(50), begin(r1), refund('r1', 300), refund('r1')],
    ],
    fact: ({ reinstate }) => reinstate('r1'),
    entries: [['reserve:r1:2', 'RESERVE', { funding: -35, reserved: 35 }]],
    state: 'FUNDED',
    worth: [70, 35],
  },
  {
    what: 'the reinstatement of a reward that an operator cancelled, which does nothing',
    before: ({ topUp, begin, cancel }) => [topUp(50), begin(r1), cancel('r1')],
    fact: ({ reinstate }) => reinstate('r1'),
    entries: [],
    state: 'CANCELLED',
  },
  {
    what: 'another refund of a reinstated reward',
    before: ({ topUp, begin, refund, reinstate }) => [
      ...[topUp(50), begin(r1), refund('r1'), reinstate('r1')],
    ],
    fact: ({ refund }) => refund('r1'),
    entries: [['release:r1:2', 'RELEASE', { reserved: -50, funding: 50 }]],
    state: 'CANCELLED',
  },
  {
    what: 'the claim of a reinstated reward',
    before: ({ topUp, begin, refund, reinstate }) => [
      ...[topUp(50), begin(r1), refund('r1'), reinstate('r1')],
    ],
    fact: ({ claim }) => claim('r1'),
    entries: [
      [
        'claim:r1:2',
        'CLAIM',
        { reserved: -50, 'payable:cus_1': 50, pointsIssued: -100, 'points:cus_1': 100 },
      ],
    ],
    state: 'AVAILABLE',
  },
  {
    what: 'the correction of a contact, which moves nothing',
    before: ({ topUp, begin }) => [topUp(50), begin(r1)],
    fact: ({ correct }) => correct('r1', 'cus_2'),
    entries: [],
    state: 'FUNDED',
  },
  {
    what: 'the claim of a reward whose contact was corrected, which is the new customer’s',
    before: ({ topUp, begin, correct }) => [topUp(50), begin(r1), correct('r1', 'cus_2')],
    fact: ({ claim }) => claim('r1'),
    entries: [
      [
        'claim:r1',
        'CLAIM',
        { reserved: -50, 'payable:cus_2': 50, pointsIssued: -100, 'points:cus_2': 100 },
      ],
    ],
    state: 'AVAILABLE',
  },
  {
    what: 'a purchase on hold, whose money is reserved at once',
    before: ({ topUp }) => [topUp(50)],
    fact: ({ begin }) => begin(onHold),
    entries: [['reserve:r1', 'RESERVE', { funding: -50, reserved: 50 }]],
    state: 'FUNDED',
  },
  {
    what: 'a claim during the hold, which does nothing',
    before: ({ topUp, begin }) => [topUp(50), begin(onHold)],
    fact: ({ claim }) => claim('r1'),
    entries: [],
    state: 'FUNDED',
  },
  {
    what: 'a refund during the hold',
    before: ({ topUp, begin }) => [topUp(50), begin(onHold)],
    fact: ({ refund }) => refund('r1'),
    entries: [['release:r1', 'RELEASE', { reserved: -50, funding: 50 }]],
    state: 'CANCELLED',
  },
  {
    what: 'the refund of a part during the hold',
    before: ({ topUp, begin }) => [topUp(50), begin(onHold)],
    fact: ({ refund }) => refund('r1', 300),
    entries: [['reduce:r1:2', 'RELEASE', { reserved: -15, funding: 15 }]],
    state: 'FUNDED',
    worth: [70, 35],
  },
  {
    what: 'the early end of a hold, which moves nothing',
    before: ({ topUp, begin }) => [topUp(50), begin(onHold)],
    fact: ({ mature }) => mature('r1'),
    entries: [],
    state: 'FUNDED',
  },
  {
    what: 'a claim after the early end of the hold',
    before: ({ topUp, begin, mature }) => [topUp(50), begin(onHold), mature('r1')],
    fact: ({ claim }) => claim('r1'),
    entries: [
      [
        'claim:r1',
        'CLAIM',
        { reserved: -50, 'payable:cus_1': 50, pointsIssued: -100, 'points:cus_1': 100 },
      ],
    ],
    state: 'AVAILABLE',
  },
  {
    what: 'the refund of a claimed reward',
    before: ({ topUp, begin, claim }) => [topUp(50), begin(r1), claim('r1')],
    fact: ({ refund }) => refund('r1'),
    entries: [],
    state: 'IN_REVIEW',
  },
  {
    what: 'an upheld refund of points that the customer still holds',
    before: ({ topUp, begin, claim, refund }) => [
      ...[topUp(50), begin(r1), claim('r1'), refund('r1')],
    ],
    fact: ({ decide }) => decide('r1', 'UPHOLD'),
    entries: [
      [
        'clawback:r1',
        'CLAWBACK',
        { 'payable:cus_1': -50, funding: 50, 'points:cus_1': -100, pointsIssued: 100 },
      ],
    ],
    state: 'CANCELLED',
  },
  {
    what: 'an upheld refund of points of which forty were spent',
    before: ({ topUp, begin, claim, refund, redeem }) => [
      ...[topUp(50), begin(r1), claim('r1'), redeem('cus_1', 40), refund('r1')],
    ],
    fact: ({ decide }) => decide('r1', 'UPHOLD'),
    entries: [
      [
        'clawback:r1',
        'WRITE_OFF',
        {
          'payable:cus_1': -30,
          funding: 30,
          redeemed: -20,
          'writeOff:cus_1': 20,
          'points:cus_1': -60,
          pointsIssued: 60,
          pointsRedeemed: -40,
          'pointsWriteOff:cus_1': 40,
        },
      ],
    ],
    state: 'CANCELLED',
  },
  {
    what: 'the refund of a part of the order of a funded reward',
    before: ({ topUp, begin }) => [topUp(50), begin(r1)],
    fact: ({ refund }) => refund('r1', 300),
    entries: [['reduce:r1:2', 'RELEASE', { reserved: -15, funding: 15 }]],
    state: 'FUNDED',
    worth: [70, 35],
  },
  {
    what: 'a second part, of what remains',
    before: ({ topUp, begin, refund }) => [topUp(50), begin(r1), refund('r1', 300)],
    fact: ({ refund }) => refund('r1', 300),
    entries: [['reduce:r1:3', 'RELEASE', { reserved: -15, funding: 15 }]],
    state: 'FUNDED',
    worth: [40, 20],
  },
  {
    what: 'a part after which no point remains',
    before: ({ topUp, begin, refund }) => [topUp(50), begin(r1), refund('r1', 300)],
    fact: ({ refund }) => refund('r1', 699),
    entries: [['release:r1', 'RELEASE', { reserved: -35, funding: 35 }]],
    state: 'CANCELLED',
  },
  {
    what: 'the rest of an order of which a part came back',
    before: ({ topUp, begin, refund }) => [topUp(50), begin(r1), refund('r1', 300)],
    fact: ({ refund }) => refund('r1'),
    entries: [['release:r1', 'RELEASE', { reserved: -35, funding: 35 }]],
    state: 'CANCELLED',
  },
  {
    what: 'a part, after which the funds suffice for a reward that waits',
    before: ({ topUp, begin }) => [topUp(35), begin(r1)],
    fact: ({ refund }) => refund('r1', 300),
    entries: [['reserve:r1', 'RESERVE', { funding: -35, reserved: 35 }]],
    state: 'FUNDED',
    worth: [70, 35],
  },
  {
    what: 'a part of a reward for which the funds still do not suffice',
    before: ({ topUp, begin }) => [topUp(34), begin(r1)],
    fact: ({ refund }) => refund('r1', 300),
    entries: [],
    state: 'AWAITING_FUNDING',
    worth: [70, 35],
  },
  {
    what: 'the refund of a part of a claimed reward',
    before: ({ topUp, begin, claim }) => [topUp(50), begin(r1), claim('r1')],
    fact: ({ refund }) => refund('r1', 300),
    entries: [],
    state: 'IN_REVIEW',
    worth: [100, 50],
  },
  {
    what: 'two parts that are upheld together',
    before: ({ topUp, begin, claim, refund }) => [
      ...[topUp(50), begin(r1), claim('r1'), refund('r1', 300), refund('r1', 100)],
    ],
    fact: ({ decide }) => decide('r1', 'UPHOLD'),
    entries: [
      [
        'reduce:r1:5',
        'CLAWBACK',
        { 'payable:cus_1': -20, funding: 20, 'points:cus_1': -40, pointsIssued: 40 },
      ],
    ],
    state: 'AVAILABLE',
    worth: [60, 30],
  },
  {
    what: 'an upheld part of points that were spent but for ten',
    before: ({ topUp, begin, claim, refund, redeem }) => [
      ...[topUp(50), begin(r1), claim('r1'), redeem('cus_1', 90), refund('r1', 300)],
    ],
    fact: ({ decide }) => decide('r1', 'UPHOLD'),
    entries: [
      [
        'reduce:r1:4',
        'WRITE_OFF',
        {
          'payable:cus_1': -5,
          funding: 5,
          redeemed: -10,
          'writeOff:cus_1': 10,
          'points:cus_1': -10,
          pointsIssued: 10,
          pointsRedeemed: -20,
          'pointsWriteOff:cus_1': 20,
        },
      ],
    ],
    state: 'AVAILABLE',
    worth: [70, 35],
  },
  {
    what: 'a part that is upheld after another was',
    before: ({ topUp, begin, claim, refund, decide }) => [
      ...[topUp(50), begin(r1), claim('r1'), refund('r1', 300), decide('r1', 'UPHOLD')],
      refund('r1', 300),
    ],
    fact: ({ decide }) => decide('r1', 'UPHOLD'),
    entries: [
      [
        'reduce:r1:6',
        'CLAWBACK',
        { 'payable:cus_1': -15, funding: 15, 'points:cus_1': -30, pointsIssued: 30 },
      ],
    ],
    state: 'AVAILABLE',
    worth: [40, 20],
  },
  {
    what: 'the rest, upheld with a part',
    before: ({ topUp, begin, claim, refund }) => [
      ...[topUp(50), begin(r1), claim('r1'), refund('r1', 300), refund('r1')],
    ],
    fact: ({ decide }) => decide('r1', 'UPHOLD'),
    entries: [
      [
        'clawback:r1',
        'CLAWBACK',
        { 'payable:cus_1': -50, funding: 50, 'points:cus_1': -100, pointsIssued: 100 },
      ],
    ],
    state: 'CANCELLED',
  },
  {
    what: 'the whole order, after a part was dismissed',
    before: ({ topUp, begin, claim, refund, decide }) => [
      ...[topUp(50), begin(r1), claim('r1'), refund('r1', 300), decide('r1', 'DISMISS')],
    ],
    fact: ({ refund }) => refund('r1', 1_000),
    entries: [],
    state: 'IN_REVIEW',
    worth: [100, 50],
  },
  {
    what: 'a dismissed refund',
    before: ({ topUp, begin, claim, refund }) => [
      ...[topUp(50), begin(r1), claim('r1'), refund('r1')],
    ],
    fact: ({ decide }) => decide('r1', 'DISMISS'),
    entries: [],
    state: 'AVAILABLE',
  },
  {
    what: 'a redemption of a third of the points, rounded down to the cent',
    mode: 'LIVE',
    before: ({ topUp, begin, claim }) => [topUp(50), begin(r1), claim('r1')],
    fact: ({ redeem }) => redeem('cus_1', 33),
    entries: [
      [
        'redeem:till',
        'REDEEM',
        { 'payable:cus_1': -16, redeemed: 16, 'points:cus_1': -33, pointsRedeemed: 33 },
      ],
    ],
    state: 'AVAILABLE',
  },
  {
    what: 'a hold of a third of the points',
    before: ({ topUp, begin, claim }) => [topUp(50), begin(r1), claim('r1')],
    fact: ({ redeem }) => redeem('cus_1', 33, 'till', true),
    entries: [
      [
        'hold:red_till',
        'HOLD',
        { 'payable:cus_1': -16, 'held:cus_1': 16, 'points:cus_1': -33, 'heldPoints:cus_1': 33 },
      ],
    ],
  },
  {
    what: 'a captured hold',
    before: ({ topUp, begin, claim, redeem }) => [
      ...[topUp(50), begin(r1), claim('r1'), redeem('cus_1', 33, 'till', true)],
    ],
    fact: ({ act }) => act('red_till', 'CAPTURE'),
    entries: [
      [
        'redeem:red_till',
        'REDEEM',
        { 'held:cus_1': -16, redeemed: 16, 'heldPoints:cus_1': -33, pointsRedeemed: 33 },
      ],
    ],
  },
  ...(['release', 'end'] as const).map(
    (how): Row => ({
      what: `the ${how} of a hold`,
      before: ({ topUp, begin, claim, redeem }) => [
        ...[topUp(50), begin(r1), claim('r1'), redeem('cus_1', 33, 'till', true)],
      ],
      fact: ({ act, endHold }) =>
        how === 'end' ? endHold('red_till') : act('red_till', 'RELEASE'),
      entries: [
        [
          'unhold:red_till',
          'UNHOLD',
          { 'held:cus_1': -16, 'payable:cus_1': 16, 'heldPoints:cus_1': -33, 'points:cus_1': 33 },
        ],
      ],
    }),
  ),
  {
    what: 'the reversal of a redemption',
    before: ({ topUp, begin, claim, redeem, act }) => [
      ...[topUp(50), begin(r1), claim('r1'), redeem('cus_1', 33, 'till', true)],
      act('red_till', 'CAPTURE'),
    ],
    fact: ({ act }) => act('red_till', 'REVERSE'),
    entries: [
      [
        'reverse:red_till',
        'REVERSE',
        { redeemed: -16, 'payable:cus_1': 16, pointsRedeemed: -33, 'points:cus_1': 33 },
      ],
    ],
  },
  {
    what: 'the reversal of a part of a redemption, rounded down to the cent',
    before: ({ topUp, begin, claim, redeem, act }) => [
      ...[topUp(50), begin(r1), claim('r1'), redeem('cus_1', 33, 'till', true)],
      act('red_till', 'CAPTURE'),
    ],
    fact: ({ act }) => act('red_till', 'REVERSE', { points: 11 }),
    entries: [
      [
        'reverse:red_till',
        'REVERSE',
        { redeemed: -5, 'payable:cus_1': 5, pointsRedeemed: -11, 'points:cus_1': 11 },
      ],
    ],
  },
  {
    what: 'the reversal of what parts left of a redemption',
    before: ({ topUp, begin, claim, redeem, act }) => [
      ...[topUp(50), begin(r1), claim('r1'), redeem('cus_1', 33, 'till', true)],
      ...[act('red_till', 'CAPTURE'), act('red_till', 'REVERSE', { points: 11 })],
      act('red_till', 'REVERSE', { points: 11 }),
    ],
    fact: ({ act }) => act('red_till', 'REVERSE'),
    entries: [
      [
        'reverse:red_till:3',
        'REVERSE',
        { redeemed: -6, 'payable:cus_1': 6, pointsRedeemed: -11, 'points:cus_1': 11 },
      ],
    ],
  },
  {
    what: 'a purchase in TEST, before any test funding',
    mode: 'TEST',
    before: () => [],
    fact: ({ begin }) => begin(r1),
    entries: [['reserve:r1', 'RESERVE', { cash: -50, reserved: 50 }]],
    state: 'FUNDED',
  },
  {
    what: 'an invoice',
    mode: 'LIVE',
    before: () => [],
    fact: ({ invoice }) => invoice(900),
    entries: [['invoice:inv_1', 'INVOICE', { planReceivable: -900, revenue: 900 }]],
  },
];

const inEach = rows.flatMap((row) => (row.mode ? [row] : modes.map((mode) => ({ ...row, mode }))));
for (const { what, mode = 'LIVE', before, fact, entries, state, worth } of inEach) {
  test(`${mode}: ${what}: its entries and the reward's state`, (t) => {
    const store = new Store(mode);
    const facts = factsOf(store);
    for (const one of before(facts)) t.deepEqual(store.commit(one).refused, []);
    const earlier = store.entries.length;
    t.deepEqual(store.commit(fact(facts)).refused, []);
    const made = store.entries.slice(earlier).map(({ reference, kind, postings }) => {
      const moved = postings.map(({ account, amount }) => [account, amount] as const);
      return [reference, kind, Object.fromEntries(moved)];
    });
    t.deepEqual(made, entries);
    if (state !== undefined) t.is(store.reward('r1').state, state);
    if (worth === undefined) return;
    const { points, liabilityCents, arithmetic } = store.reward('r1');
    t.deepEqual([points, liabilityCents, arithmetic.points], [worth[0], worth[1], worth[0]]);
  });
}

test('a claim after the window changes nothing', (t) => {
  const store = new Store('LIVE');
  const { topUp, begin } = factsOf(store);
  store.commit(topUp(50), begin(r1));
  const before = contentOf(store.read);
  const after = { ...terms, at: store.reward('r1').claimExpiresAt };
  store.commit((draft) => claim(draft, store.reward('r1'), after, undefined));
  t.deepEqual(contentOf(store.read), before);
});

test('a hold ends once: on its day, or earlier with a claim window from then on', (t) => {
  for (const isEarly of [true, false]) {
    const store = new Store('LIVE');
    const { topUp, begin } = factsOf(store);
    const made = { claimableFrom: onDay(14), claimExpiresAt: onDay(44) };
    const end = (day: number, early: boolean) =>
      store.commit((draft) =>
        mature(draft, store.reward('r1'), { ...terms, at: onDay(day) }, early),
      );
    store.commit(topUp(50), begin(onHold));
    t.like(store.reward('r1'), made);
    end(13, false);
    t.is(store.reward('r1').version, 1, 'not before its day');
    end(isEarly ? 3 : 14, isEarly);
    const ended = isEarly ? { claimableFrom: onDay(3), claimExpiresAt: onDay(33) } : made;
    t.like(store.reward('r1'), { ...ended, version: 2 });
    for (const early of [true, false]) end(20, early);
    t.like(store.reward('r1'), { ...ended, version: 2 });
  }
});

test('a reward that waited gets its claim window from the end of its hold, which began with the purchase', (t) => {
  for (const [funded, from, until] of [
    [5, 14, 44],
    [20, 14, 50],
  ] as const) {
    const store = new Store('LIVE');
    const { begin } = factsOf(store);
    store.commit(begin(onHold));
    const money = { amountCents: 50, externalReference: 'wire' };
    const later = { ...terms, at: onDay(funded) };
    store.commit((draft) => recordTopUp(draft, store.ref, money, later));
    t.like(store.reward('r1'), { claimableFrom: onDay(from), claimExpiresAt: onDay(until) });
  }
});

test('a contact that is corrected during a hold does not change its end', (t) => {
  const store = new Store('LIVE');
  const { topUp, begin, correct } = factsOf(store);
  store.commit(topUp(50), begin(onHold), correct('r1', 'cus_2'));
  t.like(store.reward('r1'), { claimableFrom: onDay(14), claimExpiresAt: onDay(44) });
});

test('a policy takes back what it upheld at its time, once, and writes nothing off', (t) => {
  for (const [spent, did, state] of [
    [0, 'UPHELD', 'CANCELLED'],
    [1, 'PUT_TO_OPERATORS', 'IN_REVIEW'],
  ] as const) {
    const store = new Store('LIVE');
    const { topUp, begin, claim, refund, redeem } = factsOf(store);
    store.commit(topUp(50), begin(r1), claim('r1'));
    if (spent > 0) t.deepEqual(store.commit(redeem('cus_1', spent)).refused, []);
    store.commit(refund('r1'));
    const left = { policyId: 'pol_1', upholdsAt: onDay(2) };
    store.commit((draft) => leaveToPolicy(draft, store.reward('r1'), left));
    const end = (day: number) => {
      let done = '';
      store.commit((draft) => {
        done = upholdByPolicy(draft, store.reward('r1'), { ...terms, at: onDay(day) }).did;
      });
      return done;
    };
    t.is(end(1), 'NOTHING', 'before its time');
    t.is(end(2), did);
    t.is(store.reward('r1').state, state);
    t.is(end(3), 'NOTHING');
    t.false(store.entries.some(({ kind }) => kind === 'WRITE_OFF'));
    if (did !== 'UPHELD') t.is(store.reward('r1').review?.policy, undefined);
    else t.is(store.reward('r1').moves.at(-1)?.policyId, 'pol_1');
  }
});

test('a window that is not over is not ended', (t) => {
  const store = new Store('LIVE');
  const { topUp, begin } = factsOf(store);
  store.commit(topUp(50), begin(r1));
  const before = contentOf(store.read);
  store.commit((draft) => expire(draft, store.reward('r1'), terms));
  t.deepEqual(contentOf(store.read), before);
});

test('a reward that waited gets a new claim window when it is funded', (t) => {
  const store = new Store('LIVE');
  const { topUp, begin } = factsOf(store);
  store.commit(begin(r1));
  const { claimExpiresAt } = store.reward('r1');
  const later = { ...terms, at: new Date('2026-03-20T09:00:00.000Z') };
  store.commit(topUp(49));
  const rest = { amountCents: 1, externalReference: 'the rest' };
  store.commit((draft) => recordTopUp(draft, store.ref, rest, later));
  t.deepEqual(claimExpiresAt, new Date('2026-04-09T09:00:00.000Z'));
  t.deepEqual(store.reward('r1').claimExpiresAt, new Date('2026-04-19T09:00:00.000Z'));
});

test('in TEST without test funding, rewards never wait, and their money comes from cash and goes back to it', (t) => {
  const store = new Store('TEST');
  const { begin, claim, refund, decide } = factsOf(store);
  store.commit(begin(r1), begin(r2));
  t.deepEqual(store.balances(), { cash: -100, reserved: 100 });
  store.commit(refund('r2'));
  const facts = [claim('r1'), refund('r1'), decide('r1', 'UPHOLD')];
  for (const fact of facts) t.deepEqual(store.commit(fact).refused, []);
  t.is(store.reward('r1').state, 'CANCELLED');
  t.deepEqual(store.balances(), {});
  t.deepEqual(store.read.periods.values(), []);
});

test('a large purchase that begins first holds up none of those before it', (t) => {
  const store = new Store('LIVE');
  const { topUp, begin } = factsOf(store);
  const earlier = ['r01', 'r02', 'r03', 'r04', 'r05'];
  store.settle(topUp(1_000), begin({ ...r1, id: 'r06', cents: 1_001 }));
  for (const id of earlier) store.settle(begin({ ...r1, id }));
  store.settle(begin({ ...r1, id: 'r07' }));
  const states = (ids: string[]) => ids.map((id) => store.reward(id).state);
  t.deepEqual(states(earlier), Array(5).fill('FUNDED'));
  t.deepEqual(states(['r06', 'r07']), ['AWAITING_FUNDING', 'AWAITING_FUNDING']);
});

for (const mode of ['LIVE', 'TEST'] as const) {
  test(`${mode}: a large reward that lets the others pass holds up nobody, and is first offered what arrives`, (t) => {
    const store = new Store(mode);
    const { topUp, begin, letPass, cancel } = factsOf(store);
    const later = ['r2', 'r3', 'r4', 'r5'];
    store.settle(topUp(150), begin({ ...r1, cents: 1_000 }));
    for (const id of later) store.settle(begin({ ...r1, id }));
    const states = () => ['r1', ...later].map((id) => store.reward(id).state);
    t.deepEqual(states(), Array(5).fill('AWAITING_FUNDING'));

    store.settle(letPass('r1'));
    t.deepEqual(states(), ['AWAITING_FUNDING', ...Array(3).fill('FUNDED'), 'AWAITING_FUNDING']);
    t.deepEqual(store.read.wallet?.passed, ['r1']);
    store.settle(begin({ ...r1, id: 'r6', cents: 0 }));
    t.is(store.reward('r6').state, 'AWAITING_FUNDING', 'r5 holds the queue now');

    store.settle(topUp(1_000, 'for it'));
    t.deepEqual([store.read.wallet?.passed, waitingOf(store)], [[], 2]);
    t.is(store.reward('r1').state, 'FUNDED');
    t.is(store.reward('r5').state, 'AWAITING_FUNDING');

    store.settle(letPass('r5'), cancel('r5'));
    t.deepEqual([store.read.wallet?.passed, waitingOf(store)], [[], 0]);
    t.is(store.reward('r6').state, 'FUNDED');
  });

  test(`${mode}: only a reward that waits lets the others pass, and twenty at most`, (t) => {
    const store = new Store(mode);
    const { topUp, begin } = factsOf(store);
    store.settle(topUp(50), begin({ ...r1, id: 'r00' }));
    const ids = Array.from({ length: 22 }, (_, nth) => `r${String(nth).padStart(2, '0')}`);
    for (const id of ids.slice(1)) store.settle(begin({ ...r1, id }));
    const draft = new Draft(store.read);
    const pass = (id: string) => draft.decide((one) => letPass(one, store.reward(id), terms));
    t.deepEqual(ids.map(pass), [false, ...Array(20).fill(true), false]);
    t.true(pass('r01'), 'again');
    t.is(draft.wallet?.passed?.length, 20);
  });

  test(`${mode}: in whatever order purchases begin, none waits while there is money for it and all before it that wait`, (t) => {
    const costs = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 12 });
    const property = fc.property(
      costs.chain((all) => {
        const order = all.map((cents, place) => ({
          cents,
          id: `r${String(place).padStart(2, '0')}`,
        }));
        return fc.shuffledSubarray(order, { minLength: order.length });
      }),
      fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 6 }),
      fc.boolean(),
      (rewards, topUps, areTogether) => {
        const store = new Store(mode);
        const { topUp, begin } = factsOf(store);
        store.settle(topUp(1, 'first'));
        const facts = rewards.map((one) => begin({ ...r1, ...one }));
        const money = topUps.map((cents, place) => topUp(cents, `wire ${place}`));
        const mixed = facts.flatMap((fact, place) => [fact, ...money.slice(place, place + 1)]);
        for (const group of areTogether ? [mixed] : mixed.map((fact) => [fact])) {
          store.settle(...group);
          const [next] = inOrder(
            store.read.rewards.values().filter(({ state }) => state === 'AWAITING_FUNDING'),
          );
          const { funding = 0 } = store.read.wallet?.balances ?? {};
          if (next !== undefined && next.liabilityCents <= funding) return false;
        }
        return true;
      },
    );
    t.notThrows(() => fc.assert(property));
  });
}

test('the first test funding ends that, and what cash paid for still goes back to cash', (t) => {
  const store = new Store('TEST');
  const { topUp, begin, refund } = factsOf(store);
  store.commit(begin(r1));
  store.commit(topUp(50), begin(r2), begin(r3));
  t.is(store.reward('r2').state, 'FUNDED');
  t.is(store.reward('r3').state, 'AWAITING_FUNDING');
  store.commit(refund('r1'));
  t.deepEqual(store.balances(), { cash: -50, reserved: 50 });
  store.commit(refund('r2'));
  t.is(store.reward('r3').state, 'FUNDED');
  store.commit(refund('r3'));
  t.deepEqual(store.balances(), { cash: -50, funding: 50 });
});

test('a refund of more than is left is refused, and a dismissed one is left again', (t) => {
  const store = new Store('LIVE');
  const { topUp, begin, claim, refund, decide } = factsOf(store);
  for (const fact of [topUp(50), begin(r1), claim('r1'), refund('r1', 300)]) store.commit(fact);
  const { refused } = store.commit(refund('r1', 701));
  t.true(refused[0] instanceof RangeError);
  store.commit(decide('r1', 'DISMISS'));
  t.is(leftCentsOf(store.reward('r1')), 1_000);
  t.deepEqual(store.commit(refund('r1', 1_000)).refused, []);
});

test('what was refunded by mistake is left again once the reward is reinstated', (t) => {
  const store = new Store('LIVE');
  const { topUp, begin, refund, reinstate } = factsOf(store);
  store.commit(topUp(50), begin(r1));
  store.commit(refund('r1', 300));
  for (const fact of [refund('r1'), refund('r1'), reinstate('r1')]) store.commit(fact);
  t.is(leftCentsOf(store.reward('r1')), 700);
  const { refused } = store.commit(refund('r1', 701));
  t.true(refused[0] instanceof RangeError);
  t.deepEqual(store.commit(refund('r1', 700)).refused, []);
});

for (const mode of ['LIVE', 'TEST'] as const) {
  for (const end of ['RELEASE', 'CAPTURE'] as const) {
    test(`${mode}: a review that is upheld while points are held takes what is free, and the rest at ${end}`, (t) => {
      const store = new Store(mode);
      const { topUp, begin, claim, redeem, refund, decide, act } = factsOf(store);
      const held = redeem('cus_1', 80, 'till', true);
      for (const fact of [topUp(50), begin(r1), claim('r1'), held]) store.commit(fact);
      for (const fact of [refund('r1'), decide('r1', 'UPHOLD')]) {
        t.deepEqual(store.commit(fact).refused, []);
      }
      t.is(store.reward('r1').state, 'CANCELLED');
      const left = { points: 0, heldPoints: 80, writtenOffPoints: 80, writtenOffCents: 40 };
      t.like(store.read.customers.get('cus_1'), left);
      store.commit(act('red_till', end));
      const lost = end === 'CAPTURE' ? 80 : 0;
      const after = { points: 0, payableCents: 0, heldPoints: 0, writtenOffPoints: lost };
      t.like(store.read.customers.get('cus_1'), after);
    });
  }
}

test('while a review is open, only what would remain can be held or redeemed', (t) => {
  const store = new Store('LIVE');
  const { topUp, begin, claim, redeem, refund, decide } = factsOf(store);
  const r2 = { ...r1, id: 'r2' };
  const claims = [topUp(100), begin(r1), begin(r2), claim('r1'), claim('r2')];
  for (const fact of [...claims, refund('r1', 300)]) store.commit(fact);
  for (const isHeld of [true, false]) {
    const [refusal] = store.commit(redeem('cus_1', 171, 'too much', isHeld)).refused;
    t.like(refusal, { code: 'INSUFFICIENT_POINTS' });
  }
  t.deepEqual(store.commit(redeem('cus_1', 170, 'till', true)).refused, []);
  t.deepEqual(store.commit(decide('r1', 'UPHOLD')).refused, []);
  t.like(store.read.customers.get('cus_1'), { points: 0, writtenOffPoints: 0, heldPoints: 170 });
});

for (const mode of ['LIVE', 'TEST'] as const) {
  test(`${mode}: buying, claiming, spending and returning both, in any order, never creates points`, (t) => {
    const property = fc.property(
      fc.array(fc.shuffledSubarray(['refund', 'REVERSE'] as const, { minLength: 1 }), {
        minLength: 1,
        maxLength: 5,
      }),
      (rounds) => {
        const store = new Store(mode);
        const { topUp, begin, claim, redeem, refund, decide, act } = factsOf(store);
        store.commit(topUp(1_000));
        for (const [place, returned] of rounds.entries()) {
          const id = `r${place}`;
          for (const fact of [begin({ ...r1, id }), claim(id)]) store.commit(fact);
          const { points: there = 0 } = store.read.customers.get('cus_1') ?? {};
          store.commit(redeem('cus_1', there, id));
          for (const what of returned) {
            const facts =
              what === 'refund'
                ? [refund(id), decide(id, 'UPHOLD')]
                : [act(`red_${id}`, 'REVERSE')];
            for (const fact of facts) store.commit(fact);
          }
        }
        const bought = rounds.filter((returned) => !returned.includes('refund')).length * r1.points;
        const { points: left = 0 } = store.read.customers.get('cus_1') ?? {};
        const spent = [...store.read.redemptions.values()].filter(
          ({ status }) => status === 'CAPTURED',
        );
        return left <= bought && left + sum(spent.map((one) => one.points)) >= bought;
      },
    );
    t.notThrows(() => fc.assert(property));
  });
}

test('in TEST, an upheld part takes its points from the customer, as far as they are there', (t) => {
  const store = new Store('TEST');
  const { begin, claim, redeem, refund, decide } = factsOf(store);
  for (const fact of [begin(r1), claim('r1'), redeem('cus_1', 60)]) store.commit(fact);
  for (const fact of [refund('r1', 300), decide('r1', 'UPHOLD')]) store.commit(fact);
  t.like(store.read.customers.get('cus_1'), { points: 10, payableCents: 5 });
  for (const fact of [refund('r1'), decide('r1', 'UPHOLD')]) store.commit(fact);
  t.like(store.read.customers.get('cus_1'), { points: 0, payableCents: 0 });
});

test('what part of an order gave back no longer counts in the customer’s day', (t) => {
  const store = new Store('LIVE');
  const { topUp, refund } = factsOf(store);
  const earned = earnedOn(store, { cus_1: 130 });
  const reward = { ...aReward(store.ref, r1), customerDay: '2026-03-01' };
  store.rules.set('r1', aRule({ pointValueMicros: 5_000 }));
  store.commit(topUp(50), (draft) => begin(draft, reward, terms));
  store.commit(refund('r1', 300));
  t.deepEqual(earned(), { cus_1: 100 });
  store.commit(refund('r1'));
  t.deepEqual(earned(), { cus_1: 30 });
});

test('a corrected reward has a new link, window and day, and is not corrected again', (t) => {
  const store = new Store('LIVE');
  const { topUp, correct } = factsOf(store);
  const earned = earnedOn(store, { cus_1: 130, cus_2: 20 });
  const reward = {
    ...aReward(store.ref, r1),
    customerDay: '2026-03-01',
    claimExpiresAt: new Date(at.getTime() + 1),
  };
  store.commit(topUp(50), (draft) => begin(draft, reward, terms));
  store.commit(correct('r1', 'cus_2'));
  store.commit(correct('r1', 'cus_3'));
  const after = store.reward('r1');
  t.like(after, { customerId: 'cus_2', claimTokenHash: 'of cus_2' });
  t.is(after.correction?.fromCustomerId, 'cus_1');
  t.true(after.claimExpiresAt > reward.claimExpiresAt);
  t.deepEqual(earned(), { cus_1: 30, cus_2: 120 });
});

/** Points that customers have earned on 1 March. @returns what they have earned on it now */
function earnedOn(store: Store, points: Record<string, number>) {
  const { mode } = store.ref;
  const daysOf = (customerId: string) =>
    earningDayOf({ mode, customerId, customerDay: '2026-03-01' });
  store.commit((draft) => {
    for (const [id, earned] of Object.entries(points)) countOn(draft, daysOf(id), earned);
  });
  return () =>
    Object.fromEntries(Object.keys(points).map((id) => [id, countedOn(store.read, daysOf(id))]));
}

test('a fact that is refused leaves the draft as it was', (t) => {
  const store = new Store('LIVE');
  const { topUp, begin, claim, redeem, decide } = factsOf(store);
  store.commit(topUp(50), begin(r1), claim('r1'));
  const draft = new Draft(store.read);
  const before = contentOf(draft);
  t.throws(() => draft.decide(redeem('cus_1', 101)), { code: 'INSUFFICIENT_POINTS' });
  // Its clawback is posted before its move turns out to be illegal.
  t.throws(() => draft.decide(decide('r1', 'UPHOLD')), { instanceOf: IllegalMoveError });
  t.throws(
    () =>
      draft.decide((copy) => {
        copy.decide(topUp(1, 'in between'));
        copy.post('RESERVE', 'too much', null, [
          { account: 'funding', unit: 'CENTS', amount: -2 },
          { account: 'reserved', unit: 'CENTS', amount: 2 },
        ]);
      }),
    { instanceOf: OverdrawnError },
  );
  t.deepEqual(contentOf(draft), before);
});

const nth = fc.nat({ max: 30 });
const operation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('begin' as const),
      customer: fc.constantFrom('cus_1', 'cus_2'),
      points: fc.nat({ max: 60 }),
      pointCents: fc.constantFrom(0, 1, 1.5, 0.34),
      holdDays: fc.constantFrom(0, 0, 14),
      hasBudget: fc.boolean(),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['claim', 'claim', 'claim', 'expire', 'cancel', 'refund', 'refund'] as const),
        ...(['mature', 'mature', 'reinstate', 'reinstate', 'letPass', 'letPass'] as const),
      ),
      nth,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('part' as const),
      nth,
      amountCents: fc.constantFrom(1, 40, 250, 250, 400, 999),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      nth,
      verdict: fc.constantFrom('UPHOLD' as const, 'DISMISS' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('topUp' as const),
      cents: fc.integer({ min: 1, max: 90 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('withdraw' as const),
      cents: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('redeem' as const),
      customer: fc.constantFrom('cus_1', 'cus_2'),
      points: fc.integer({ min: 1, max: 80 }),
      isHeld: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('CAPTURE', 'RELEASE', 'REVERSE', 'endHold'),
      nth,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      customer: fc.constantFrom('cus_1', 'cus_2'),
    }),
  },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, one) => total + one, 0);

for (const mode of ['LIVE', 'TEST'] as const) {
  test(`${mode}: whatever happens in whatever groups, money and points are conserved`, (t) => {
    const property = fc.property(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { maxLength: 40 }),
      (groups) => {
        const store = new Store(mode);
        store.letPointsEnd();
        const world = { begun: 0, toppedUpCents: 0, topUps: 0, withdrawals: 0, redeemed: 0 };
        for (const group of groups) {
          const refused = store.settle(...group.map((one) => factOf(store, world, one)));
          for (const error of refused) {
            const expected = [IllegalMoveError, RangeError, ServiceError];
            if (!expected.some((one) => error instanceof one)) throw error;
          }
          assertConsistent(store, world);
        }
      },
    );
    t.notThrows(() => fc.assert(property, { numRuns: 300 }));
  });
}

test('one that begins and lets the others pass in the commit that cancels these is funded', (t) => {
  const store = new Store('LIVE');
  const sums = { begun: 0, toppedUpCents: 0, topUps: 0, withdrawals: 0, redeemed: 0 };
  const begins = { do: 'begin', customer: 'cus_1', points: 1 } as const;
  const together = [
    { ...begins, points: 0, pointCents: 0 },
    { do: 'letPass', nth: 1 },
    { do: 'cancel', nth: 0 },
  ] as const;
  for (const group of [[{ ...begins, pointCents: 1.5 }], together]) {
    t.deepEqual(store.settle(...group.map((one) => factOf(store, sums, one as Operation))), []);
  }
  t.is(store.reward('r0001').state, 'FUNDED');
});

const budget: CountedBudget = {
  name: 'Spring',
  totalPoints: 200,
  monthPoints: null,
  month: '2026-03',
};

interface Sums {
  begun: number;
  /** Less what was withdrawn. */
  toppedUpCents: number;
  topUps: number;
  withdrawals: number;
  redeemed: number;
  ended?: number;
}

function factOf(store: Store, sums: Sums, one: Operation): (draft: Draft) => unknown {
  const facts = factsOf(store);
  // Above the rewards that have begun, so that facts about rewards of the same group occur.
  const idOf = (place: number) => `r${String(place % (sums.begun + 1)).padStart(4, '0')}`;
  switch (one.do) {
    case 'begin': {
      const { pointCents, ...bought } = one as Extract<Operation, { pointCents: number }>;
      const { customer, points, holdDays, hasBudget } = bought;
      const id = idOf(sums.begun);
      sums.begun += 1;
      const cents = Math.ceil(points * pointCents);
      const input = { id, customer, points, cents, holdDays, ...(hasBudget && { budget }) };
      return facts.begin(input, pointCents);
    }
    case 'part': {
      const { nth: place, amountCents } = one as Extract<Operation, { amountCents: number }>;
      return unlessUnknown(idOf(place), facts.refund(idOf(place), amountCents));
    }
    case 'topUp': {
      const { cents } = one as Extract<Operation, { cents: number }>;
      sums.toppedUpCents += cents;
      sums.topUps += 1;
      return facts.topUp(cents, String(sums.topUps));
    }
    case 'withdraw': {
      const { cents } = one as Extract<Operation, { cents: number }>;
      sums.withdrawals += 1;
      const reference = String(sums.withdrawals);
      return (draft) => {
        if (store.ref.mode === 'TEST') return;
        facts.withdraw(cents, reference)(draft);
        sums.toppedUpCents -= cents;
      };
    }
    case 'redeem': {
      const { customer, points, isHeld } = one as Extract<Operation, { do: 'redeem' }>;
      sums.redeemed += 1;
      return facts.redeem(customer, points, `till${sums.redeemed}`, isHeld);
    }
    case 'CAPTURE':
    case 'RELEASE':
    case 'REVERSE':
    case 'endHold': {
      const { do: name, nth: place } = one as { do: RedemptionAction | 'endHold'; nth: number };
      const id = `red_till${1 + (place % Math.max(1, sums.redeemed))}`;
      return (draft) => {
        if (!draft.redemptions.get(id)) return;
        (name === 'endHold' ? facts.endHold(id) : facts.act(id, name))(draft);
      };
    }
    case 'end': {
      const { customer } = one as Extract<Operation, { do: 'end' }>;
      sums.ended = (sums.ended ?? 0) + 1;
      return facts.end(customer, sums.ended);
    }
    case 'decide': {
      const { nth: place, verdict } = one as Extract<Operation, { do: 'decide' }>;
      return unlessUnknown(idOf(place), facts.decide(idOf(place), verdict));
    }
    default: {
      const { do: name, nth: place } = one as { do: 'claim' | 'expire' | 'mature'; nth: number };
      return unlessUnknown(idOf(place), facts[name](idOf(place)));
    }
  }
}

const unlessUnknown = (id: string, fact: (draft: Draft) => unknown) => (draft: Draft) =>
  draft.rewards.get(id) ? fact(draft) : undefined;

const waitingOf = ({ read: { wallet } }: Store): number => (wallet ? waitingIn(wallet) : 0);

function assertConsistent(store: Store, { toppedUpCents }: Sums): void {
  const { ref, entries, read } = store;
  const isLive = ref.mode === 'LIVE';
  const running: Record<string, number> = {};
  for (const [place, { seq, reference, postings }] of entries.entries()) {
    assertEqual(seq, place + 1, `the number of ${reference}`);
    for (const unit of ['CENTS', 'POINTS']) {
      const amounts = postings.filter((one) => one.unit === unit).map(({ amount }) => amount);
      assertEqual(sum(amounts), 0, `${reference} in ${unit}`);
    }
    for (const { account, amount, balanceAfter } of postings) {
      running[account] = (running[account] ?? 0) + amount;
      assertEqual(balanceAfter, running[account], `${account} after ${reference}`);
      if (mustNotGoNegative(account) && balanceAfter < 0)
        throw new Error(`${account} is overdrawn`);
    }
  }
  const references = entries.map(({ reference }) => reference);
  assertEqual(new Set(references).size, references.length, 'references');
  const balances = store.balances();
  const moved = Object.fromEntries(Object.entries(running).filter(([, amount]) => amount !== 0));
  for (const account of new Set([...Object.keys(balances), ...Object.keys(moved)])) {
    assertEqual(balances[account] ?? 0, moved[account] ?? 0, account);
  }

  const of = (account: string) => balances[account] ?? 0;
  const all = (prefix: string) =>
    sum(
      Object.entries(balances).flatMap(([name, amount]) => (name.startsWith(prefix) ? amount : [])),
    );
  const redemptions = read.redemptions.values();
  const inStatus = (status: RedemptionStatus) => redemptions.filter((one) => one.status === status);
  const pointsIn = (status: RedemptionStatus) => sum(inStatus(status).map((one) => one.points));
  const centsIn = (status: RedemptionStatus) => sum(inStatus(status).map((one) => one.owedCents));
  const rewards = read.rewards.values();
  for (const reward of rewards) {
    const { _id, moves, state, version } = reward;
    const reached = moves.reduce((before, { move }) => applyMove(before, move), initialState);
    if (state !== reached) throw new Error(`${_id} is ${state}, its moves lead to ${reached}`);
    assertEqual(version, moves.length, `the version of ${_id}`);
    assertPartsOf(reward);
  }
  const cents = (some: Reward[]) => sum(some.map(({ liabilityCents }) => liabilityCents));
  const points = (some: Reward[]) => sum(some.map((reward) => reward.points));
  const claimed = rewards.filter(({ state }) => claimedStates.includes(state));
  const reserved = rewards.filter(({ state }) => state === 'FUNDED');
  const waiting = inOrder(rewards.filter(({ state }) => state === 'AWAITING_FUNDING'));
  const arrived = entries.filter(({ kind }) => kind === 'TOP_UP' || kind === 'WITHDRAWAL');
  const ofCash = arrived.flatMap(({ postings }) =>
    postings.filter((one) => one.account === 'cash'),
  );
  assertEqual(sum(ofCash.map(({ amount }) => amount)), -toppedUpCents, 'money that arrived');
  if (isLive) assertEqual(of('cash'), -toppedUpCents, 'cash');
  assertEqual(of('reserved'), cents(reserved), 'reserved');
  const owed = all('payable:') + all('held:') + of('redeemed') + all('ended:');
  assertEqual(owed, cents(claimed), 'owed, held, redeemed or ended');
  assertEqual(of('ended') + all('ended:'), 0, 'the other side of what ended');
  assertEqual(waitingOf(store), waiting.length, 'rewards that wait');
  const passed = read.wallet?.passed ?? [];
  const available = of('funding');
  for (const id of passed) {
    if (!waiting.some(({ _id }) => _id === id)) throw new Error(`${id} does not wait`);
  }
  const holder = waiting.find(({ _id }) => !passed.includes(_id));
  for (const one of waiting) {
    const isNext = one === holder || passed.includes(one._id);
    const comesBefore = holder === undefined || one._id <= holder._id;
    if (isNext && comesBefore && one.liabilityCents <= available) {
      throw new Error(`${one._id} is not funded`);
    }
  }
  const kept = all('points:') + all('heldPoints:') + of('pointsRedeemed') + all('endedPoints:');
  assertEqual(kept, points(claimed), 'points to be spent, held, spent or ended');
  assertEqual(of('pointsRedeemed') + all('pointsWriteOff:'), pointsIn('CAPTURED'), 'points spent');
  const customers = read.customers.values();
  assertEqual(sum(customers.map((one) => one.heldPoints)), pointsIn('HELD'), 'points on hold');
  assertEqual(sum(customers.map((one) => one.heldCents)), centsIn('HELD'), 'money on hold');
  const there =
    sum(customers.map((one) => one.points + one.heldPoints + (one.endedPoints ?? 0))) +
    pointsIn('CAPTURED');
  const lost = sum(customers.map((one) => one.writtenOffPoints));
  assertEqual(
    there - lost,
    points(claimed),
    'points to be spent, held, spent or ended, without those lost',
  );
  for (const { _id, ending, points: held, heldPoints } of customers) {
    const kept = ending?.kept ?? 0;
    if (kept < 0 || kept > held + heldPoints) throw new Error(`${_id} keeps ${kept} points`);
  }
  for (const { _id, ...one } of customers) {
    const isUnsettled = one.writtenOffPoints > 0 && one.points > 1;
    if (isUnsettled) throw new Error(`${_id} can spend before what was lost is settled`);
  }
  const inBudget = rewards.filter((reward) => reward.budget && !isRefunded(reward));
  for (const { points: inAll, months } of read.budgets.values()) {
    assertEqual(inAll, points(inBudget), 'the budget');
    assertEqual(months[budget.month] ?? 0, inAll, 'the budget of the month');
  }
  const counted = isLive ? rewards.filter(({ state }) => isFunded(state)) : [];
  assertEqual(sum(read.periods.values().map((one) => one.points)), points(counted), 'usage');
  assertEqual(store.days.points, points(counted), 'points of days');
  assertEqual(store.days.cents, cents(counted), 'cents of days');
}

/** Whether a refund took back all of a reward; what expired, or an operator cancelled, was not. */
function isRefunded({ state, moves }: Reward): boolean {
  const ended = moves[moves.findLastIndex((made) => made.state !== 'CANCELLED') + 1];
  return state === 'CANCELLED' && ended?.move !== 'CANCEL';
}

/** What a reward lost, and what of its order came back, is what its moves say. */
function assertPartsOf(reward: Reward): void {
  const { _id, points, refundedCents, arithmetic, moves, state } = reward;
  const lost = moves.map((move) => move.lost ?? { points: 0, liabilityCents: 0 });
  assertEqual(arithmetic.points, points, `the arithmetic of ${_id}`);
  if (lost.some((one) => one.points < 0 || one.liabilityCents < 0))
    throw new Error(`${_id} gained`);
  const reported = sum(moves.map(({ amountCents = 0 }) => amountCents));
  if (refundedCents > Math.min(reported, 1_000)) throw new Error(`${refundedCents} of ${_id}`);
  const isDecided = state !== 'IN_REVIEW' && state !== 'CANCELLED' && state !== 'EXPIRED';
  if (isDecided) assertEqual(arithmetic.refundedCents, refundedCents, `what came back of ${_id}`);
}

function assertEqual(found: number, expected: number, what: string): void {
  if (found !== expected) throw new Error(`${what}: ${found} instead of ${expected}`);
}
