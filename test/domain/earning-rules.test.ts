import test from 'ava';
import { activeCurrencies, type EarningRule, selectRule } from '../../domain/earning-rules.ts';

function aRule(ruleId: string, integrationId: string | null, currency: string): EarningRule {
  return {
    ruleId,
    partnerId: 'prt_1',
    mode: 'LIVE',
    integrationId,
    currency,
    kind: 'PER_AMOUNT',
    points: 10,
    unitCents: 100,
    minimumOrderCents: 0,
    multiplier: 1,
    campaign: null,
    capPerOrderPoints: null,
    capPerCustomerDayPoints: null,
    claimWindow: 'P30D',
    pointValueMicros: 10_000,
  };
}

const partnerUsd = aRule('partner USD', null, 'USD');
const partnerEur = aRule('partner EUR', null, 'EUR');
const shopUsd = aRule('shop USD', 'int_shop', 'USD');
const tillUsd = aRule('till USD', 'int_till', 'USD');
const shopEur = aRule('shop EUR', 'int_shop', 'EUR');

test('the active rule of the currency applies', (t) => {
  t.is(selectRule([partnerUsd], 'int_shop', 'USD'), partnerUsd);
  t.is(selectRule([partnerUsd, partnerEur], 'int_shop', 'EUR'), partnerEur);
});

test("an integration's own rule overrides the partner's, in any order", (t) => {
  t.is(selectRule([partnerUsd, shopUsd], 'int_shop', 'USD'), shopUsd);
  t.is(selectRule([shopUsd, partnerUsd], 'int_shop', 'USD'), shopUsd);
});

test("another integration's rule does not apply", (t) => {
  t.is(selectRule([partnerUsd, tillUsd], 'int_shop', 'USD'), partnerUsd);
  t.is(selectRule([tillUsd, shopUsd, partnerUsd], 'int_shop', 'USD'), shopUsd);
});

test('an override in another currency does not replace the partner rule of this one', (t) => {
  t.is(selectRule([shopEur, partnerUsd], 'int_shop', 'USD'), partnerUsd);
});

test('without an active rule the refusal is NO_ACTIVE_EARNING_RULE', (t) => {
  t.is(selectRule([], 'int_shop', 'USD'), 'NO_ACTIVE_EARNING_RULE');
});

test("an integration that could only use another's rule has no rule", (t) => {
  t.is(selectRule([tillUsd], 'int_shop', 'USD'), 'NO_ACTIVE_EARNING_RULE');
});

test('an integration’s currencies are those of its own and its partner’s rules, without duplicates and sorted', (t) => {
  t.deepEqual(activeCurrencies([partnerUsd, shopEur, partnerEur, tillUsd], 'int_shop'), [
    'EUR',
    'USD',
  ]);
});

test('active rules only in other currencies are a CURRENCY_MISMATCH', (t) => {
  t.is(selectRule([partnerEur], 'int_shop', 'USD'), 'CURRENCY_MISMATCH');
  t.is(selectRule([shopEur, tillUsd], 'int_shop', 'USD'), 'CURRENCY_MISMATCH');
});
