import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { IntlMessageFormat } from 'intl-messageformat';
import { formatterOf } from '../../messaging/words/formatter.ts';
import { html, type Part } from '../../portal/html/html.ts';
import { catalogues, messages } from '../../portal/words/en/index.ts';
import { say } from '../../portal/words/say.ts';
import { tags } from '../../portal/words/tags.ts';
import { literalTexts, saysWhileLoading, stringsIn } from './helpers/literal-texts.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const sources = readdirSync(join(root, 'portal'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const isCatalogue = (file: string): boolean => file.startsWith('portal/words/en/');
/** Where pages are made. Forms say what is wrong with a field beside its rule, in English still. */
const spoken = [
  ...['portal/html/', 'portal/routes/', 'portal/words/', 'portal/nav.ts', 'portal/next-step.ts'],
  ...['portal/operate.ts', 'portal/test-moves.ts', 'portal/forms/list-filters.ts'],
  ...['portal/middleware/session.ts', 'portal/session/reveal.ts'],
];

/** What reads like a text, and is code. */
const isCode = new Set([
  'line line-differs',
  'system-ui, sans-serif',
  'public, max-age=31536000, immutable',
  'funding',
  `curl -sS '{}{}?limit=100' -H "Authorization: Bearer $TOKEN"`,
]);

test('every message parses', (t) => {
  for (const [key, message] of Object.entries(messages)) {
    t.notThrows(() => new IntlMessageFormat(message, 'en'), key);
    t.is(message.trim(), message, key);
    t.not(message, '', key);
  }
});

test('no key is in two files of the catalogue', (t) => {
  const keys = catalogues.flatMap((one) => Object.keys(one));
  t.deepEqual(
    keys.filter((key, index) => keys.indexOf(key) !== index),
    [],
  );
});

test('every message is said somewhere', (t) => {
  const strings = new Set(
    sources.filter((file) => !isCatalogue(file)).flatMap((file) => [...stringsIn(read(file))]),
  );
  t.deepEqual(
    Object.keys(messages).filter((key) => !strings.has(key)),
    [],
  );
});

test('no page has a text of its own: each is in the catalogue', (t) => {
  const asked = sources.filter(
    (file) => spoken.some((place) => file.startsWith(place)) && !isCatalogue(file),
  );
  const found = asked.flatMap((file) =>
    literalTexts(read(file))
      .filter(({ text }) => !isCode.has(text) && !(text in messages))
      .map(({ line, text }) => `${file}:${line} ${text}`),
  );
  t.deepEqual(found, []);
});

test('nothing is said while a module is loaded, when nobody knows who will read it', (t) => {
  t.deepEqual(
    sources.filter((file) => saysWhileLoading(read(file))),
    [],
  );
  t.true(saysWhileLoading(`const words = { a: say('keys.title') };`));
  t.false(saysWhileLoading(`const words = () => ({ a: say('keys.title') });`));
});

test('the reader of texts finds them in markup and in what components are given', (t) => {
  const source = `
import { html } from './Some module.ts';
const one = html\`<p class="Quiet one">One \${name} more</p><input placeholder="Two">\`;
const two = section('Three', html\`<b title="\${x}">\${y}</b>\`);
const three = field({ name: 'four', label: isNew ? 'four' : 'Five', path: '/Some path' });
const four = \`Six of \${count}\`;
if (state === 'Some state') throw new Error('Not for readers');
const five = say('keys.title', { name: \`seven \${count} eight\` });
`;
  t.deepEqual(
    literalTexts(source).map(({ line, text }) => [line, text]),
    [
      [3, 'One'],
      [3, 'more'],
      [3, 'Two'],
      [4, 'Three'],
      [5, 'four'],
      [5, 'Five'],
      [6, 'Six of {}'],
      [8, 'seven {} eight'],
    ],
  );
});

test('a value is text, wherever it stands in a message, and a tag is what the caller makes of it', (t) => {
  const evil = '<script>alert(1)</script>';
  const said = formatterOf(
    { text: 'By {name}', markup: 'By <strong>{name}</strong>', alien: '<b>x</b>' },
    'en',
  );
  t.is(
    `${html`${said('text', { name: evil }) as Part}`}`,
    'By &lt;script&gt;alert(1)&lt;/script&gt;',
  );
  t.is(
    `${html`${said('markup', { name: evil, strong: tags.strong }) as Part}`}`,
    'By <strong>&lt;script&gt;alert(1)&lt;/script&gt;</strong>',
  );
  t.throws(() => said('alien'));
  t.is(`${html`${formatterOf({ quoted: "'<b>'" }, 'en')('quoted') as Part}`}`, '&lt;b&gt;');
});

test('what is counted has a plural', (t) => {
  t.is(say('format.points', { points: 1 }), '1 point');
  t.is(say('format.points', { points: 12_345 }), '12,345 points');
});
