import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { IntlMessageFormat } from 'intl-messageformat';
import { en } from '../../messaging/words/en.ts';
import { formatterOf } from '../../messaging/words/formatter.ts';
import { team } from '../../messaging/words/team-en.ts';
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
/** Files whose texts appear on no page: responses to programs, logs, and code shown verbatim. */
const notOnPages = [
  ...['portal/programs/', 'portal/documents/', 'portal/server.ts'],
  // The texts of customers’ pages are in another catalogue; these files have only those for programs.
  ...['portal/routes/claims.ts', 'portal/routes/points.ts'],
];

/** Strings that look like text but are code. */
const isCode = new Set([
  'line line-differs',
  'system-ui, sans-serif',
  'public, max-age=31536000, immutable',
  'funding',
  'input, textarea, select',
  'the form has errors',
  "default-src 'none'; sandbox",
  ...['; Secure', 'Path=/; HttpOnly; SameSite=Lax{}', '; Max-Age={}'],
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

test('no message is code: a policy, a data address, a command', (t) => {
  const code = /data:|default-src|^export |^https?:|^\/\w+\/|[{;]\s*\w+\s*=|=>/;
  t.deepEqual(
    Object.entries(messages).filter(([, message]) => code.test(message)),
    [],
  );
});

/** Words that are wrong in only one of their senses, which this test cannot tell apart. */
const inOneSense = new Set(['not', 'line', 'keep', 'why', 'admin', 'answer']);

test('no text contains a word that docs/writing.md replaces', (t) => {
  const rows = [...read('docs/writing.md').matchAll(/^\| [^|]+ \| ([^|]+) \|$/gm)];
  const words = rows
    .flatMap(([, not = '']) => not.split(','))
    .map((word) => word.trim())
    .filter((word) => /^[\w-]+( [\w-]+)?$/.test(word) && !inOneSense.has(word));
  t.true(words.length > 10 && words.includes('e-mail'));
  const all = { ...messages, ...en, ...team };
  for (const word of words) {
    const used = new RegExp(`(?<![\\w-])${word}s?(?![\\w-])`, word === 'Id' ? '' : 'i');
    t.deepEqual(
      Object.entries(all).filter(([, text]) => used.test(text.replace(/\{\w+|<[^>]+>/g, ''))),
      [],
      word,
    );
  }
});

test('page scripts contain no texts: they use texts from the page', (t) => {
  const scripts = readdirSync(join(root, 'portal/assets')).filter((name) => name.endsWith('.js'));
  t.true(scripts.length > 0);
  const texts = scripts.flatMap((name) =>
    literalTexts(read(`portal/assets/${name}`))
      .filter(({ text }) => !isCode.has(text))
      .map(({ text }) => `${name} ${text}`),
  );
  t.deepEqual(texts, []);
});

test('every message is used', (t) => {
  const strings = new Set(
    sources.filter((file) => !isCatalogue(file)).flatMap((file) => [...stringsIn(read(file))]),
  );
  t.deepEqual(
    Object.keys(messages).filter((key) => !strings.has(key)),
    [],
  );
});

test('no page contains a literal text: all are in the catalogue', (t) => {
  const asked = sources.filter(
    (file) => !notOnPages.some((place) => file.startsWith(place)) && !isCatalogue(file),
  );
  const found = asked.flatMap((file) =>
    literalTexts(read(file))
      .filter(({ text }) => !isCode.has(text) && !(text in messages))
      .map(({ line, text }) => `${file}:${line} ${text}`),
  );
  t.deepEqual(found, []);
});

test('no text is looked up while a module loads, before the reader is known', (t) => {
  t.deepEqual(
    sources.filter((file) => saysWhileLoading(read(file))),
    [],
  );
  t.true(saysWhileLoading(`const words = { a: say('keys.title') };`));
  t.false(saysWhileLoading(`const words = () => ({ a: say('keys.title') });`));
});

test('the scanner finds texts in markup and component arguments', (t) => {
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

test('a value is escaped anywhere in a message, and a tag is what the caller provides', (t) => {
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

test('counts have plural forms', (t) => {
  t.is(say('format.points', { points: 1 }), '1 point');
  t.is(say('format.points', { points: 12_345 }), '12,345 points');
});
