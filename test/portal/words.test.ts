import test from 'ava';
import { plural } from '../../portal/html/format.ts';
import { html, type Part } from '../../portal/html/html.ts';
import { pageLocalizerOf } from '../../portal/words/customer-localizer.ts';

test('a value is escaped anywhere in a message, and a tag is what the caller provides', (t) => {
  const evil = '<script>alert(1)</script>';
  const { say } = pageLocalizerOf('en', 'UTC');
  t.is(
    `${html`${say('open.thanks', { merchant: evil })}`}`,
    'Thank you for shopping at &lt;script&gt;alert(1)&lt;/script&gt;.',
  );
  const mail = (parts: readonly Part[]) => html`<strong>${parts}</strong>`;
  t.is(
    `${html`${say('email', { merchant: evil, mail })}`}`,
    'Questions? <strong>Email &lt;script&gt;alert(1)&lt;/script&gt;</strong>',
  );
  t.throws(() => say('email', { merchant: evil }));
});

test('counts have plural forms', (t) => {
  t.is(plural(1, 'point', 'points'), '1 point');
  t.is(plural(12_345, 'point', 'points'), '12,345 points');
});
