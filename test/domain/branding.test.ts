import test from 'ava';
import {
  accentOf,
  contrastOf,
  customerTimeZone,
  defaultBranding,
  isOnWebsite,
  isSeenOnWhite,
} from '../../domain/branding.ts';

test('contrast is computed as in WCAG 2', (t) => {
  const rounded = (one: string, other: string) => contrastOf(one, other).toFixed(2);
  t.is(rounded('#000000', '#ffffff'), '21.00');
  t.is(rounded('#ffffff', '#777777'), '4.48');
  t.is(rounded('#767676', '#ffffff'), '4.54');
  t.is(rounded('#ff0000', '#ffffff'), '4.00');
});

test('text on any colour that is visible on white can be read', (t) => {
  const steps = ['00', '33', '66', '99', 'cc', 'ff'];
  const colors = steps.flatMap((r) => steps.flatMap((g) => steps.map((b) => `#${r}${g}${b}`)));
  const seen = colors.filter(isSeenOnWhite);
  t.true(seen.length > 50 && seen.length < colors.length);
  for (const color of seen) t.true(contrastOf(color, accentOf(color).ink) >= 4.5, color);
  t.false(isSeenOnWhite('#ffff00'));
});

test('a link belongs to a website if its host is the same or a subdomain', (t) => {
  const website = 'https://www.books.example/about';
  for (const address of ['https://books.example/points', 'https://shop.books.example/?a=1']) {
    t.true(isOnWebsite(address, website), address);
  }
  const elsewhere = [
    ...[
      'http://books.example/',
      'https://notbooks.example/',
      'https://books.example.evil.example/',
    ],
    ...['https://books.example@evil.example/', 'javascript:alert(1)', 'points'],
  ];
  for (const address of elsewhere) t.false(isOnWebsite(address, website), address);
  t.false(isOnWebsite('https://books.example/', null));
});

test('customers’ times use the chosen zone, else their country’s, else UTC', (t) => {
  const branding = { ...defaultBranding, timeZone: 'America/New_York' };
  t.is(customerTimeZone({ country: 'DE', branding }), 'America/New_York');
  t.is(customerTimeZone({ country: 'DE', branding: defaultBranding }), 'Europe/Berlin');
  t.is(customerTimeZone({ country: 'DE' }), 'Europe/Berlin');
  t.is(customerTimeZone({ country: 'US' }), 'UTC');
});
