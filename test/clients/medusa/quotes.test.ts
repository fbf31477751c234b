import { createRequire } from 'node:module';
import test from 'ava';

interface Answer {
  points: number;
  rateLimit: { limit: number; remaining: number; resetSeconds: number } | undefined;
}

/** The plug-in is not checked with the service's modules: what is used of it is declared here. */
interface QuotesConstructor {
  new (
    now: () => number,
  ): {
    pointsOf(
      apiKey: string,
      order: { subtotalCents: number; currency: string },
      ask: () => Promise<Answer>,
    ): Promise<number | null>;
  };
}

const { Quotes }: { Quotes: QuotesConstructor } = createRequire(import.meta.url)(
  '../../../clients/medusa/src/modules/partner-events/quotes.ts',
);

const order = { subtotalCents: 4_990, currency: 'USD' };

function quotesAt(clock: { ms: number }) {
  const quotes = new Quotes(() => clock.ms);
  let asked = 0;
  const ask = (subtotalCents: number, remaining = 600) =>
    quotes.pointsOf('pk', { ...order, subtotalCents }, async () => {
      asked += 1;
      const rateLimit = { limit: 600, remaining, resetSeconds: 30 };
      return { points: Math.floor(subtotalCents / 10), rateLimit };
    });
  return { quotes, ask, asked: () => asked };
}

test('the same goods are asked for once a minute', async (t) => {
  const clock = { ms: 0 };
  const { ask, asked } = quotesAt(clock);
  t.is(await ask(4_990), 499);
  clock.ms = 59_999;
  t.is(await ask(4_990), 499);
  t.is(asked(), 1);
  clock.ms = 60_000;
  t.is(await ask(4_990), 499);
  t.is(asked(), 2);
});

test('other goods, another currency and another key are asked for', async (t) => {
  const { quotes, ask } = quotesAt({ ms: 0 });
  t.is(await ask(4_990), 499);
  t.is(await ask(5_000), 500);
  const other = async () => ({ points: 7, rateLimit: undefined });
  t.is(await quotes.pointsOf('pk', { ...order, currency: 'JPY' }, other), 7);
  t.is(await quotes.pointsOf('pk2', order, other), 7);
});

test('half of the rate limit is left to reports', async (t) => {
  const clock = { ms: 0 };
  const { ask, asked } = quotesAt(clock);
  t.is(await ask(100, 300), 10);
  t.is(await ask(200, 299), 20);
  t.is(await ask(300), null);
  t.is(await ask(100), 10, 'what is known is still shown');
  clock.ms = 30_000;
  t.is(await ask(300), 30);
  t.is(asked(), 3);
});

test('a refusal is no number, and is not kept', async (t) => {
  const { quotes, ask } = quotesAt({ ms: 0 });
  t.is(await quotes.pointsOf('pk', order, () => Promise.reject(new Error('down'))), null);
  t.is(await ask(4_990), 499);
});

test('no more than a thousand are kept', async (t) => {
  const { ask, asked } = quotesAt({ ms: 0 });
  for (let cents = 1; cents <= 1_001; cents++) await ask(cents);
  await ask(1_001);
  t.is(asked(), 1_001);
  await ask(1);
  t.is(asked(), 1_002);
});
