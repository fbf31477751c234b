import test from 'ava';
import {
  accentOf,
  contrastOf,
  customerTimeZone,
  defaultBranding,
  isOnWebsite,
  isSeenOnWhite,
  looksLikeLink,
  nameInMessages,
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

test('customers’ times use the chosen zone, else that of the profile, else their country’s, else UTC', (t) => {
  const branding = { ...defaultBranding, timeZone: 'America/New_York' };
  t.is(customerTimeZone({ country: 'DE', branding }), 'America/New_York');
  t.is(customerTimeZone({ country: 'DE', branding: defaultBranding }), 'Europe/Berlin');
  t.is(customerTimeZone({ country: 'DE' }), 'Europe/Berlin');
  t.is(customerTimeZone({ country: 'US' }), 'UTC');
  const timeZone = 'America/Chicago';
  t.is(customerTimeZone({ country: 'US', timeZone, branding: defaultBranding }), timeZone);
  t.is(customerTimeZone({ country: 'US', timeZone, branding }), 'America/New_York');
});

const links = [
  ...['https://evil.example', 'evil.example', 'Prizes at evil.example now', 'www.evil'],
  ...[
    'a@evil.example',
    'EVIL.COM',
    'evil。example',
    'evil．example',
    'müller.example',
    '192.0.2.1',
  ],
  ...['mailto://x', 'x_y.example', 'x-y.example'],
];
const names = [
  ...['Corner Shop', 'A. B. Smith & Sons', 'A.B.C.', 'St. Mary’s', 'Dr. Oetker', 'Shop No. 5'],
  ...['No.5', 'Version 2.0', 'What? Now!', '…', 'Ends with a dot.'],
];

test('only names that programs would turn into links are detected', (t) => {
  for (const one of links) t.true(looksLikeLink(one), one);
  for (const one of names) t.false(looksLikeLink(one), one);
});

test('messages contain no name that is a link, and other names unchanged', (t) => {
  for (const one of links) t.false(looksLikeLink(nameInMessages(one)), one);
  for (const one of names) t.is(nameInMessages(one), one);
  t.is(nameInMessages('Two\r\n  lines '), 'Two lines');
});
