import { microsText } from '../../domain/money.ts';
import type { PointsLife } from '../../domain/points-end.ts';
import type { ReviewReason } from '../../domain/review.ts';
import type { ProposalDoc } from '../../models/schemas/audit.ts';
import type { SensitiveName } from '../../operations/index.ts';
import type { ProposalDetails, ProposalNames } from '../../views/approvals.ts';
import { wordsOf } from '../components/components.ts';
import { moneyText, plural, pointsWords } from '../components/format.ts';
import { reasonWords } from '../components/money.ts';
import { rewardWordsOf } from '../components/reward-badge.ts';
import { pointsLifeWords } from './points-end-words.ts';
import { policySentence, type ShownPolicy } from './policy-words.ts';
import { wordsOfField } from './profile-words.ts';
import { sentenceOfRule } from './rule-words.ts';

type Values = Readonly<Record<string, unknown>>;

/** What a proposal changes: how it is before, and how it will be afterwards. */
export type ProposedChange = Record<'what' | 'before' | 'after', string>;

/** A proposal, with ways to read what it says by name. */
interface Proposed {
  partner: string;
  names: ProposalNames;
  targetId: string | null;
  currency: string;
  shown: Values;
  text(name: string): string;
  number(name: string): number;
  /** Of an amount in cents. */
  money(name: string): string;
  points(): string;
}

/** One that is looked at by itself. */
interface ProposedInFull extends Proposed {
  /** Null if the customer was erased. */
  input: Values | null;
  /** The rule whose id this is. */
  rule(name: string): string;
  fundingCents: number;
}

interface Words {
  /** What it will do. */
  sentence(proposed: Proposed): string;
  changes(proposed: ProposedInFull): ProposedChange[];
}

const none = 'None';
const change = (what: string, before: string, after: string): ProposedChange => ({
  what,
  before,
  after,
});

/** The LIVE funding, which becomes more or less by the amount. */
const funding = (
  { fundingCents, currency, number }: ProposedInFull,
  sign: 1 | -1,
): ProposedChange => {
  const after = fundingCents + sign * number('amountCents');
  return change('LIVE funding', moneyText(fundingCents, currency), moneyText(after, currency));
};

const noMoney = ({ currency }: Proposed): string => moneyText(0, currency);
const order = ({ names, targetId }: Proposed): string => names.orderOf(targetId);
const interval = ({ text }: Proposed): string => wordsOf(text('interval')).toLowerCase();
const ends = (given: unknown): string => pointsLifeWords(given as PointsLife | null);
const policyOf = (shown: Values): string => policySentence(shown as unknown as ShownPolicy);
const listText = (values: unknown): string => (Array.isArray(values) ? values.join(', ') : '');

const planChanges = (before: string, proposed: ProposedInFull): ProposedChange[] => {
  const { text, number, money, currency } = proposed;
  return [
    change('Plan', before, `${text('plan')}: ${money('priceCents')} a ${interval(proposed)}`),
    change(
      'Each point beyond those included',
      '',
      microsText(number('overageRateMicrosPerPoint'), currency),
    ),
  ];
};

const secondFactor = (name: string): ProposedChange[] => [
  change(`Second factor of ${name}`, 'Set up', 'To be set up again'),
];

/** What each operation that can take two operators is called while it waits for the second. */
const proposalWords: Record<SensitiveName, Words> = {
  'partner.top-up': {
    sentence: ({ partner, money, text }) =>
      `Top up the LIVE funding of ${partner} by ${money('amountCents')}, under the reference “${text('reference')}”.`,
    changes: (proposed) => [funding(proposed, 1)],
  },
  'partner.withdraw': {
    sentence: ({ partner, money, text }) =>
      `Pay ${money('amountCents')} of the unused funding back to ${partner}, under the reference “${text('reference')}”.`,
    changes: (proposed) => [funding(proposed, -1)],
  },
  'partner.correct-top-up': {
    sentence: ({ partner, money, text }) =>
      `Take back ${money('amountCents')} of ${partner}’s top-up of ${money('topUpCents')} (${text('topUpReference').replace(/^topUp:/, '')}), under the reference “${text('reference')}”.`,
    changes: (proposed) => [funding(proposed, -1)],
  },
  'invoice.record-payment': {
    sentence: ({ partner, money, text }) =>
      `Record a payment of ${money('amountCents')} on ${text('paidOn')} for ${partner}’s invoice ${text('number')} of ${money('totalCents')}, under the reference “${text('reference')}”.`,
    changes: ({ money, text }) => [
      change(`Invoice ${text('number')}`, 'Due', `${money('amountCents')} paid`),
    ],
  },
  'invoice.reverse-payment': {
    sentence: ({ partner, money, text }) =>
      `Reverse the payment “${text('reference')}” of ${money('amountCents')} for ${partner}’s invoice ${text('number')}: it did not arrive, and is due again.`,
    changes: ({ money, text }) => [
      change(`Invoice ${text('number')}`, `${money('amountCents')} paid`, 'Due'),
    ],
  },
  'invoice.void': {
    sentence: ({ partner, money, text }) =>
      `Void ${partner}’s invoice ${text('number')} of ${money('totalCents')} by a credit note: nothing is due for it any more.`,
    changes: ({ money, text }) => [
      change(`Invoice ${text('number')}`, `${money('leftCents')} due`, 'Void'),
    ],
  },
  'customer.redeem': {
    sentence: ({ partner, points, money, text }) =>
      `Redeem ${points()} of a customer of ${partner}, worth up to ${money('cents')}, under the reference “${text('reference')}”.`,
    changes: ({ points, money }) => [
      change('The customer’s points', '', `${points()} fewer`),
      change('Owed to the customer', '', `Up to ${money('cents')} less`),
    ],
  },
  'customer.erase': {
    sentence: ({ partner, text }) =>
      `Erase a customer of ${partner} permanently, under the reference “${text('reference')}”.`,
    changes: () => [change('The customer’s data', 'Readable', 'Unreadable for good')],
  },
  'review.decide': {
    sentence(proposed) {
      const { partner, text, money } = proposed;
      const isUpheld = text('decision') === 'UPHOLD';
      const reason = reasonWords[text('reasonCode') as ReviewReason].toLowerCase();
      return `${isUpheld ? 'Uphold' : 'Dismiss'} the refund of ${partner}’s order ${order(proposed)}: ${reason}. ${isUpheld ? 'It takes back' : 'The customer keeps'} ${money('cents')}.`;
    },
    changes({ text, money }) {
      const isUpheld = text('decision') === 'UPHOLD';
      return [
        change('Review', 'Open', isUpheld ? 'Refund upheld' : 'Refund dismissed'),
        change(
          'Owed to the customer',
          money(isUpheld ? 'cents' : 'liabilityCents'),
          isUpheld ? 'Taken back' : 'Kept',
        ),
      ];
    },
  },
  'reward.cancel': {
    sentence: (proposed) =>
      `Cancel the reward for ${proposed.partner}’s order ${order(proposed)}: nobody can claim its ${proposed.points()} any more, and ${proposed.money('cents')} goes back to the funding.`,
    changes: (proposed) => [
      change('Reward', rewardWordsOf(proposed.text('status')), 'Cancelled for good'),
      change('Reserved for it', `Up to ${proposed.money('cents')}`, noMoney(proposed)),
    ],
  },
  'reward.reinstate': {
    sentence: (proposed) =>
      `Reinstate the reward for ${proposed.partner}’s order ${order(proposed)}, whose refund was a mistake: ${proposed.money('cents')} is reserved anew, under the reference “${proposed.text('reference')}”.`,
    changes: (proposed) => [
      change(
        'Reward',
        rewardWordsOf(proposed.text('status')),
        `To be claimed: ${proposed.points()}`,
      ),
      change('Reserved for it', noMoney(proposed), proposed.money('cents')),
    ],
  },
  'reward.correct-contact': {
    sentence: (proposed) =>
      `Correct the contact of the reward for ${proposed.partner}’s order ${order(proposed)}, worth ${proposed.money('cents')}: it is another customer’s, who gets a new claim link.`,
    changes: ({ input, text }) => [
      change(
        'Contact',
        'Another customer’s',
        input === null ? 'Erased' : text(input.email === undefined ? 'phone' : 'email'),
      ),
    ],
  },
  'earning-rule.activate': {
    sentence: ({ partner, money }) =>
      `Activate a LIVE rule of ${partner}: an order earns up to ${money('largestRewardCents')}.`,
    changes: ({ rule, money }) => [
      change('LIVE rule', rule('activeRuleId'), rule('ruleId')),
      change('An order costs at most', '', money('largestRewardCents')),
    ],
  },
  'earning-rule.deactivate': {
    sentence: ({ partner }) =>
      `Deactivate a LIVE rule of ${partner}: the purchases it applies to are refused from then on, unless another rule applies.`,
    changes: ({ rule }) => [change('LIVE rule', rule('ruleId'), 'None: purchases are refused')],
  },
  'refund-policy.activate': {
    sentence: ({ partner, shown }) =>
      `Activate a LIVE refund policy of ${partner}: ${policyOf(shown)}`,
    changes: ({ shown }) => [
      change('LIVE refund policy', String(shown.activePolicyId ?? none), String(shown.policyId)),
      change('It upholds', '', policyOf(shown)),
    ],
  },
  'refund-policy.deactivate': {
    sentence: ({ partner }) =>
      `Deactivate the LIVE refund policy of ${partner}: operators decide all refunds of claimed rewards from then on.`,
    changes: ({ shown }) => [
      change('LIVE refund policy', String(shown.policyId), 'None: operators decide'),
    ],
  },
  'points-end.set': {
    sentence: ({ partner, shown }) =>
      `Change when LIVE points of ${partner}’s customers end: ${ends(shown.after)}. What they have by then never ends.`,
    changes: ({ shown }) => [change('LIVE points end', ends(shown.activeAfter), ends(shown.after))],
  },
  'partner.update': {
    sentence({ partner, shown }) {
      const fields = Object.keys((shown.changes ?? {}) as object);
      const named = fields.map((name) => wordsOfField(name).toLowerCase());
      return `Change ${named.join(', ')} of ${partner}.`;
    },
    changes({ shown, currency }) {
      const { changes = {}, before = {} } = shown as Record<'changes' | 'before', Values>;
      const inWords = (name: string, value: unknown): string => {
        if (value === null || value === undefined || value === '') return none;
        if (name.endsWith('Cents')) return moneyText(Number(value), currency);
        if (name.endsWith('Micros')) return microsText(Number(value), currency);
        if (name === 'status') return wordsOf(String(value));
        return typeof value === 'string' ? value : JSON.stringify(value);
      };
      return Object.entries(changes).map(([name, after]) =>
        change(wordsOfField(name), inWords(name, before[name]), inWords(name, after)),
      );
    },
  },
  'partner.approve-go-live': {
    sentence: ({ partner }) =>
      `Make ${partner} live: it gets LIVE keys, and its purchases create real rewards.`,
    changes: () => [change('Mode', 'TEST', 'LIVE: purchases create real rewards')],
  },
  'partner.invite': {
    sentence: ({ partner, text }) =>
      text('role') === 'owner'
        ? `Invite an owner of ${partner}, who can do everything there.`
        : `Invite a ${text('role')} of ${partner}, which is LIVE.`,
    changes: ({ text }) => [change(wordsOf(text('role')), none, text('email'))],
  },
  'integration.update': {
    sentence: ({ partner, names, targetId, text }) =>
      `Change who delivers the claim links of ${names.nameOf(targetId)}, of ${partner}, which is LIVE: ${text('delivery') === 'PARTNER' ? 'the partner does' : 'we do'}.`,
    changes: ({ text }) => [
      change('Claim links are sent by', wordsOf(text('before')), wordsOf(text('delivery'))),
    ],
  },
  'credential.create': {
    sentence: ({ partner, names, text, number }) =>
      `Create a ${text('mode')} key of ${partner} for ${names.nameOf(text('integrationId'))}, valid for ${plural(number('days'), 'day', 'days')}.`,
    changes: ({ names, text, number }) => [
      change(
        `${text('mode')} key`,
        none,
        `${names.nameOf(text('integrationId'))}, for ${plural(number('days'), 'day', 'days')}`,
      ),
    ],
  },
  'credential.rotate': {
    sentence: ({ partner }) =>
      `Create another signing secret for a LIVE key of ${partner}, which an owner of it is shown.`,
    changes: () => [
      change('Signing secrets of the key', '', 'One more; the old one works until revoked'),
    ],
  },
  'webhook-endpoint.create': {
    sentence: ({ partner, text }) =>
      `Create a LIVE webhook endpoint of ${partner} at ${text('origin')}, whose secret an owner of it is shown.`,
    changes: ({ text }) => [change('LIVE webhook endpoint', none, text('url'))],
  },
  'webhook-endpoint.update': {
    sentence: ({ partner, text }) =>
      `Change a LIVE webhook endpoint of ${partner} at ${text('origin')}.`,
    changes({ input, shown, text }) {
      const { url, eventTypes, status } = input ?? {};
      const changes: ProposedChange[] = [];
      if (url !== undefined) {
        const after = `${text('url')}, signed with the same secret`;
        changes.push(change('Address', text('origin'), after));
      }
      if (eventTypes !== undefined) {
        changes.push(change('Events', listText(shown.eventTypes), listText(eventTypes)));
      }
      if (status !== undefined) changes.push(change('State', '', wordsOf(text('status'))));
      return changes;
    },
  },
  'webhook-endpoint.delete': {
    sentence: ({ partner, text }) =>
      `Delete a LIVE webhook endpoint of ${partner} at ${text('origin')}, with what waits for it.`,
    changes: ({ text }) => [change('LIVE webhook endpoint', text('origin'), none)],
  },
  'webhook-endpoint.rotate-secret': {
    sentence: ({ partner }) =>
      `Create another secret for a LIVE webhook endpoint of ${partner}, which an owner of it is shown.`,
    changes: () => [
      change(
        'Secret of the endpoint',
        '',
        'A new one, which an owner is shown; the old one signs for another day',
      ),
    ],
  },
  'subscription.create': {
    sentence: (proposed) =>
      `Subscribe ${proposed.partner} to ${proposed.text('plan')}: it owes ${proposed.money('priceCents')} a ${interval(proposed)}, and more for points beyond the ${pointsWords(proposed.number('includedPoints'))} included.`,
    changes: (proposed) => planChanges(none, proposed),
  },
  'subscription.change': {
    sentence: (proposed) =>
      `Change ${proposed.partner}’s plan from ${proposed.text('from')} to ${proposed.text('plan')}: ${proposed.money('priceCents')} a ${interval(proposed)}.`,
    changes: (proposed) => planChanges(proposed.text('from'), proposed),
  },
  'user.reset-second-factor': {
    sentence: ({ partner, names, targetId }) =>
      `Reset the second factor of ${names.nameOf(targetId)}, an owner of ${partner}, who is signed out everywhere.`,
    changes: ({ text }) => secondFactor(text('name')),
  },
  'operator.create': {
    sentence: ({ text }) =>
      `Create the operator ${text('name')}, with the role ${text('role')}, who signs in as ${text('email')}.`,
    changes: ({ text }) => [
      change('Operator', none, `${text('name')}, ${text('role')}, ${text('email')}`),
    ],
  },
  'operator.change-role': {
    sentence: ({ names, targetId, text }) =>
      `Change the role of the operator ${names.nameOf(targetId)} from ${text('from')} to ${text('to')}.`,
    changes: ({ names, targetId, text }) => [
      change(`Role of ${names.nameOf(targetId)}`, text('from'), text('to')),
    ],
  },
  'operator.reset-second-factor': {
    sentence: ({ names, targetId }) =>
      `Reset the second factor of the operator ${names.nameOf(targetId)}, who is signed out everywhere.`,
    changes: ({ text }) => secondFactor(text('name')),
  },
};

/** A sentence that says what a proposal will do. */
export const proposalSentence = (proposal: ProposalDoc, names: ProposalNames): string =>
  wordsFor(proposal).sentence(proposed(proposal, names, null));

/** @param input the proposed input; null if the customer was erased */
export function proposalChanges(
  { proposal, names, ruleOf, fundingCents }: ProposalDetails,
  input: Values | null,
): ProposedChange[] {
  const read = proposed(proposal, names, input);
  const rule = (name: string): string => {
    const found = ruleOf.get(read.text(name));
    return found ? sentenceOfRule(found) : none;
  };
  return wordsFor(proposal).changes({ ...read, input, rule, fundingCents });
}

const wordsFor = ({ action }: ProposalDoc): Words => proposalWords[action as SensitiveName];

function proposed(
  { partnerId, targetId, details, shown }: ProposalDoc,
  names: ProposalNames,
  input: Values | null,
): Proposed {
  const given: Values = { ...details, ...shown, ...input };
  const currency = String(given.currency ?? names.currencyOf(partnerId));
  const text = (name: string): string => String(given[name] ?? '');
  const number = (name: string): number => Number(given[name] ?? 0);
  return {
    partner: names.nameOf(partnerId),
    names,
    targetId,
    currency,
    shown,
    text,
    number,
    money: (name) => moneyText(number(name), currency),
    points: () => pointsWords(number('points')),
  };
}
