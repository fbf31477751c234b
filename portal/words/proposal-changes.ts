import { microsText } from '../../domain/money.ts';
import type { PointsLife } from '../../domain/points-end.ts';
import type { ProposalDetails } from '../../views/approvals.ts';
import { wordsOf } from '../components/components.ts';
import { moneyText, plural, pointsWords } from '../components/format.ts';
import { rewardWordsOf } from '../components/reward-badge.ts';
import { pointsLifeWords } from './points-end-words.ts';
import { policySentence, type ShownPolicy } from './policy-words.ts';
import { wordsOfField } from './profile-words.ts';
import { sentenceOfRule } from './rule-words.ts';

/** What a proposal changes: how it is before, and how it will be afterwards. */
export interface ProposedChange {
  what: string;
  before: string;
  after: string;
}

const none = 'None';

const listText = (values: unknown): string => (Array.isArray(values) ? values.join(', ') : '');

/** @param input the proposed input; null if the customer was erased */
export function changesOf(
  { proposal, names, ruleOf, fundingCents }: ProposalDetails,
  input: Readonly<Record<string, unknown>> | null,
): ProposedChange[] {
  const { action, partnerId, targetId, details, shown } = proposal;
  const given = { ...details, ...shown, ...input };
  const text = (name: string): string => String(given[name] ?? '');
  const amount = (name: string): number => Number(given[name] ?? 0);
  const currency = String(given.currency ?? names.currencyOf(partnerId));
  const money = (cents: number): string => moneyText(cents, currency);
  const points = pointsWords(amount('points'));
  const rule = (name: string): string => {
    const found = ruleOf.get(text(name));
    return found ? sentenceOfRule(found) : none;
  };
  const change = (what: string, before: string, after: string): ProposedChange => ({
    what,
    before,
    after,
  });
  const funding = (byCents: number): ProposedChange =>
    change('LIVE funding', money(fundingCents), money(fundingCents + byCents));
  switch (action) {
    case 'partner.top-up':
      return [funding(amount('amountCents'))];
    case 'partner.withdraw':
    case 'partner.correct-top-up':
      return [funding(-amount('amountCents'))];
    case 'invoice.record-payment':
      return [change(`Invoice ${text('number')}`, 'Due', `${money(amount('amountCents'))} paid`)];
    case 'invoice.reverse-payment':
      return [change(`Invoice ${text('number')}`, `${money(amount('amountCents'))} paid`, 'Due')];
    case 'invoice.void':
      return [change(`Invoice ${text('number')}`, `${money(amount('leftCents'))} due`, 'Void')];
    case 'customer.redeem':
      return [
        change('The customer’s points', '', `${points} fewer`),
        change('Owed to the customer', '', `Up to ${money(amount('cents'))} less`),
      ];
    case 'customer.erase':
      return [change('The customer’s data', 'Readable', 'Unreadable for good')];
    case 'review.decide': {
      const isUpheld = text('decision') === 'UPHOLD';
      const cents = money(amount('cents'));
      return [
        change('Review', 'Open', isUpheld ? 'Refund upheld' : 'Refund dismissed'),
        change(
          'Owed to the customer',
          isUpheld ? cents : money(amount('liabilityCents')),
          isUpheld ? 'Taken back' : 'Kept',
        ),
      ];
    }
    case 'reward.cancel':
      return [
        change('Reward', rewardWordsOf(text('status')), 'Cancelled for good'),
        change('Reserved for it', `Up to ${money(amount('cents'))}`, money(0)),
      ];
    case 'reward.reinstate':
      return [
        change('Reward', rewardWordsOf(text('status')), `To be claimed: ${points}`),
        change('Reserved for it', money(0), money(amount('cents'))),
      ];
    case 'reward.correct-contact':
      return [
        change(
          'Contact',
          'Another customer’s',
          input === null ? 'Erased' : text(input.email === undefined ? 'phone' : 'email'),
        ),
      ];
    case 'earning-rule.activate':
      return [
        change('LIVE rule', rule('activeRuleId'), rule('ruleId')),
        change('An order costs at most', '', money(amount('largestRewardCents'))),
      ];
    case 'earning-rule.deactivate':
      return [change('LIVE rule', rule('ruleId'), 'None: purchases are refused')];
    case 'refund-policy.activate':
      return [
        change(
          'LIVE refund policy',
          String(shown.activePolicyId ?? 'None'),
          String(shown.policyId),
        ),
        change('It upholds', '', policySentence(shown as unknown as ShownPolicy)),
      ];
    case 'refund-policy.deactivate':
      return [change('LIVE refund policy', String(shown.policyId), 'None: operators decide')];
    case 'points-end.set':
      return [
        change(
          'LIVE points end',
          pointsLifeWords(shown.activeAfter as PointsLife | null),
          pointsLifeWords(shown.after as PointsLife | null),
        ),
      ];
    case 'partner.update': {
      const { changes = {}, before = {} } = shown as Record<
        'changes' | 'before',
        Record<string, unknown>
      >;
      const inWords = (name: string, value: unknown): string => {
        if (value === null || value === undefined || value === '') return none;
        if (name.endsWith('Cents')) return money(Number(value));
        if (name.endsWith('Micros')) return microsText(Number(value), currency);
        if (name === 'status') return wordsOf(String(value));
        return typeof value === 'string' ? value : JSON.stringify(value);
      };
      return Object.entries(changes).map(([name, after]) =>
        change(wordsOfField(name), inWords(name, before[name]), inWords(name, after)),
      );
    }
    case 'partner.approve-go-live':
      return [change('Mode', 'TEST', 'LIVE: purchases create real rewards')];
    case 'partner.invite':
      return [change(wordsOf(text('role')), none, text('email'))];
    case 'integration.update':
      return [
        change('Claim links are sent by', wordsOf(text('before')), wordsOf(text('delivery'))),
      ];
    case 'credential.create':
      return [
        change(
          `${text('mode')} key`,
          none,
          `${names.nameOf(text('integrationId'))}, for ${plural(amount('days'), 'day', 'days')}`,
        ),
      ];
    case 'credential.rotate':
      return [
        change('Signing secrets of the key', '', 'One more; the old one works until revoked'),
      ];
    case 'webhook-endpoint.create':
      return [change('LIVE webhook endpoint', none, text('url'))];
    case 'webhook-endpoint.update': {
      const { url, eventTypes, status } = input ?? {};
      return [
        ...(url === undefined
          ? []
          : [
              change(
                'Address',
                String(shown.origin),
                `${text('url')}, signed with the same secret`,
              ),
            ]),
        ...(eventTypes === undefined
          ? []
          : [change('Events', listText(shown.eventTypes), listText(eventTypes))]),
        ...(status === undefined ? [] : [change('State', '', wordsOf(text('status')))]),
      ];
    }
    case 'webhook-endpoint.delete':
      return [change('LIVE webhook endpoint', text('origin'), none)];
    case 'webhook-endpoint.rotate-secret':
      return [
        change(
          'Secret of the endpoint',
          '',
          'A new one, which an owner is shown; the old one signs for another day',
        ),
      ];
    case 'subscription.create':
    case 'subscription.change':
      return [
        change(
          'Plan',
          action === 'subscription.create' ? none : text('from'),
          `${text('plan')}: ${money(amount('priceCents'))} a ${wordsOf(text('interval')).toLowerCase()}`,
        ),
        change(
          'Each point beyond those included',
          '',
          microsText(amount('overageRateMicrosPerPoint'), currency),
        ),
      ];
    case 'user.reset-second-factor':
    case 'operator.reset-second-factor':
      return [change(`Second factor of ${text('name')}`, 'Set up', 'To be set up again')];
    case 'operator.create':
      return [change('Operator', none, `${text('name')}, ${text('role')}, ${text('email')}`)];
    case 'operator.change-role':
      return [change(`Role of ${names.nameOf(targetId)}`, text('from'), text('to'))];
    default:
      throw new Error(`no changes for proposals of ${action}`);
  }
}
