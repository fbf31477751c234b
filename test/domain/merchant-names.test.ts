import test from 'ava';
import { looksLikeLink, nameInMessages } from '../../domain/branding.ts';

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
