import test from 'ava';
import { formatterOf } from '../../messaging/words/formatter.ts';
import { plural } from '../../portal/html/format.ts';
import { html, type Part } from '../../portal/html/html.ts';

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
    `${html`${said('markup', { name: evil, strong: (parts: Part[]) => html`<strong>${parts}</strong>` }) as Part}`}`,
    'By <strong>&lt;script&gt;alert(1)&lt;/script&gt;</strong>',
  );
  t.throws(() => said('alien'));
  t.is(`${html`${formatterOf({ quoted: "'<b>'" }, 'en')('quoted') as Part}`}`, '&lt;b&gt;');
});

test('counts have plural forms', (t) => {
  t.is(plural(1, 'point', 'points'), '1 point');
  t.is(plural(12_345, 'point', 'points'), '12,345 points');
});
