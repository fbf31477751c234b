import test, { type ExecutionContext } from 'ava';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';
import { type Browser, textOf } from './helpers/browser.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

/** How the world writes a thousand; whatever the reader's language, a count has no decimals. */
const thousands = ['1000', '1,000', '1.000', '1 000', '1\u202f000', "1'000", '1’000'];
/** What a machine might make a number of, and is none, or could be another one. */
const noCounts = ['1.5', '1,5', '1.00', '1000.00', '0.500', '1e3', '0x10', '-5', '1,00,000', 'ten'];
const languages = ['en', 'de', 'fr', 'de-CH', 'es-MX'];

/** A form with the counts in it, the other fields that it needs, and what was stored. */
interface NumberForm {
  browser: Browser;
  page: string;
  action: string;
  counts: readonly string[];
  others: Record<string, string>;
  stored(field: string): Promise<unknown>;
}

const ruleForm = async (): Promise<NumberForm> => {
  const { partnerId } = await service.partner({ rule: null });
  return {
    browser: await partnerBrowser(portal, partnerId),
    page: '/rules/new?mode=TEST',
    action: '/rules/new',
    counts: ['points', 'capPerOrderPoints', 'capPerCustomerDayPoints', 'claimWindow'],
    others: {
      step: 'draft',
      currency: 'USD',
      kind: 'PER_AMOUNT',
      points: '1',
      unitCents: '1.00',
      claimWindow: '30',
      claimWindowUnit: 'MINUTES',
      pointValueMicros: '0.01',
    },
    async stored(field) {
      const [rule] = await service.models.earningRules.find({ partnerId }).sort({ _id: -1 });
      return field === 'claimWindow'
        ? Number(rule?.claimWindow.slice(2, -1))
        : rule?.[field as keyof typeof rule];
    },
  };
};

const redemptionForm = async (): Promise<NumberForm> => {
  const { partnerId } = await service.partner();
  // Once LIVE, what points are worth is no longer an owner's to change.
  const inSandbox = { $set: { 'goLive.state': 'SANDBOX' } } as const;
  await service.models.partners.updateOne({ _id: partnerId }, inSandbox);
  return {
    browser: await partnerBrowser(portal, partnerId),
    page: '/redemptions',
    action: '/redemptions/settings',
    counts: ['pointsPerUnit', 'maxPointsPerCustomerDay'],
    others: { isAllowed: 'yes' },
    async stored(field) {
      const partner = await service.models.partners.findById(partnerId).orFail();
      return partner.redemptions?.[field as 'pointsPerUnit'];
    },
  };
};

const limitForm = async (): Promise<NumberForm> => {
  const { partnerId } = await service.partner();
  const path = `/admin/partners/${partnerId}/profile`;
  const partner = await service.models.partners.findById(partnerId).orFail();
  return {
    browser: await operatorBrowser(portal),
    page: path,
    action: path,
    counts: ['apiRateLimitPerMinute'],
    others: {
      name: partner.name,
      legalName: 'Corner Shop Inc.',
      website: 'https://shop.example',
      contactEmail: 'owner@shop.example',
      supportEmail: 'help@shop.example',
    },
    async stored(field) {
      const partner = await service.models.partners.findById(partnerId).orFail();
      return partner[field as keyof typeof partner];
    },
  };
};

let plans = 0;
const planForm = async (): Promise<NumberForm> => {
  const planCode = `numbers-${Date.now()}-${++plans}`;
  return {
    browser: await operatorBrowser(portal),
    page: '/admin/plans/new',
    action: '/admin/plans/new',
    counts: ['includedPoints', 'apiRateLimitPerMinute'],
    others: {
      planCode,
      name: 'Numbers',
      monthlyPrice: '1.00',
      annualPrice: '10.00',
      includedPoints: '100',
      overageRate: '0.01',
      apiRateLimitPerMinute: '60',
      supportClass: 'standard',
    },
    async stored(field) {
      const [plan] = await service.models.planVersions.find({ planCode }).sort({ _id: -1 });
      return plan?.[field as keyof typeof plan];
    },
  };
};

const forms = { rule: ruleForm, redemptions: redemptionForm, limits: limitForm, plan: planForm };

async function send(form: NumberForm, field: string, text: string, language: string) {
  form.browser.headers['accept-language'] = language;
  await form.browser.open(form.page);
  return await form.browser.submit(form.action, { ...form.others, [field]: text });
}

for (const [name, prepare] of Object.entries(forms)) {
  test(`a thousand is stored as 1,000 in the form of ${name}, however any country writes it`, async (t) => {
    const form = await prepare();
    for (const [at, text] of thousands.entries()) {
      const language = languages[at % languages.length] ?? 'en';
      for (const field of form.counts) {
        const shown = await send(form, field, text, language);
        t.is(shown.status, 200, `${field}: ${text}: ${textOf(shown.html)}`);
        t.is(await form.stored(field), 1_000, `${field}: ${text}`);
      }
    }
  });

  test(`what is no whole number is refused in the form of ${name}, and says how to write one`, async (t) => {
    const form = await prepare();
    for (const text of noCounts) {
      for (const field of form.counts) await refused(t, form, field, text);
    }
  });
}

async function refused(t: ExecutionContext, form: NumberForm, field: string, text: string) {
  const shown = await send(form, field, text, 'de');
  t.is(shown.status, 422, `${field}: ${text}`);
  t.regex(textOf(shown.html), /Enter a whole number, such as 10 or 1,000\./, `${field}: ${text}`);
}

test('an operator’s 1.000 points redeem a thousand, and 1.5 none', async (t) => {
  const shop = await townOf(service).withPoints();
  const { customerId } = await service.models.rewards
    .findOne({ partnerId: shop.partnerId })
    .orFail();
  const browser = await operatorBrowser(portal, 'finance');
  const form: NumberForm = {
    browser,
    page: `/admin/customers/${customerId}`,
    action: `/admin/customers/${customerId}/redeem`,
    counts: ['points'],
    others: { reference: 'till 7' },
    stored: async () => undefined,
  };
  await refused(t, form, 'points', '1.5');
  const done = await send(form, 'points', '1.000', 'de');
  t.regex(textOf(done.html), /1,000 points/);
});

const multipliers: [language: string, text: string, stored: number | null][] = [
  ['de', '1,5', 1.5],
  ['en', '1,5', 1.5],
  ['de', '1.5', 1.5],
  ['en', '1.25', 1.25],
  ['en', '1.500', null],
  ['de', '1,500', null],
  ['de', '1.500', null],
  ['en', '1e1', null],
];

for (const [language, text, stored] of multipliers) {
  test(`a multiplier of ${text} in ${language} is ${stored ?? 'refused'}`, async (t) => {
    const form = await ruleForm();
    const shown = await send(form, 'multiplier', text, language);
    t.is(shown.status, stored === null ? 422 : 200);
    t.is((await form.stored('multiplier')) ?? null, stored);
  });
}

const amounts: [language: string, text: string, cents: number | null][] = [
  ['en', '1,000', 100_000],
  ['de', '1.000', 100_000],
  ['fr', '1\u202f000,50', 100_050],
  ['de-CH', '1’000.50', 100_050],
  ['es-MX', '1,000', 100_000],
  ['de', '1.000,50', 100_050],
  ['en', '1.000,50', 100_050],
  ['en', '1.000', null],
  ['de', '1,000', null],
  ['de', '49,905', null],
  ['en', '49.905', null],
];

for (const [language, text, cents] of amounts) {
  test(`an amount of ${text} in ${language} is ${cents ?? 'refused, with both ways to read it'}`, async (t) => {
    const { partnerId } = await service.partner({ mode: 'LIVE' });
    const browser = await partnerBrowser(portal, partnerId);
    browser.headers['accept-language'] = language;
    await browser.open('/funding');
    const shown = await browser.submit('/funding/threshold', { threshold: text });
    if (cents === null) {
      t.regex(
        textOf(shown.html),
        /This can be read as [\d,]+ or as [\d.]+\. Write \d+ or [\d.]+\./,
      );
    } else {
      const partner = await service.models.partners.findById(partnerId).orFail();
      t.is(partner.lowBalanceThresholdCents, cents);
    }
  });
}

const echoes: [language: string, query: string, text: string][] = [
  ['en', 'as=count&points=1.000', 'Read as 1,000'],
  ['de', 'as=count&points=1000', 'Read as 1,000'],
  ['en', 'as=count&points=1.5', ''],
  ['de', 'as=factor&multiplier=1,5', 'Read as 1.5'],
  ['en', 'as=price&currency=EUR&pointValueMicros=0,01', 'Read as €0.01'],
  ['de', 'as=amount&currency=EUR&amount=1.000', 'Read as €1,000.00'],
  ['en', 'as=amount&currency=EUR&amount=1.000', ''],
];

test('every number is shown as it is read, while it is typed', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  for (const [language, query, text] of echoes) {
    owner.headers['accept-language'] = language;
    t.is((await owner.ask('GET', `/read-as.txt?${query}`)).html, text, `${language}: ${query}`);
  }
  const { html } = await owner.open('/rules/new?mode=TEST');
  for (const field of ['points', 'unitCents', 'pointValueMicros', 'multiplier', 'claimWindow']) {
    t.true(html.includes(`<output id="${field}-read"`), field);
  }
});
