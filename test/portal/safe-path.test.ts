import test from 'ava';
import fc from 'fast-check';
import { safePath } from '../../portal/routing/safe-path.ts';

for (const path of ['/', '/home', '/team/users/usr_1?a=b&c=%2F', '/second-factor?to=/account']) {
  test(`${path} is on our site`, (t) => {
    t.is(safePath(path), path);
  });
}

for (const foreign of [
  ...['https://evil.example', '//evil.example', '/\\evil.example', '\\\\evil.example'],
  ...['/\t/evil.example', '/\n/evil.example', ' /home', 'javascript:alert(1)', 'home', ''],
  ...['/..//evil.example', '/./\\/evil.example', '/home\r\nSet-Cookie: a=b', '/a\\b', '///x'],
  ...['/%0d%0a/..//x', `/${'a'.repeat(1_000)}`, undefined, ['/home'], { path: '/home' }],
]) {
  test(`${JSON.stringify(foreign)} leads to no other site`, (t) => {
    const path = safePath(foreign, '/start');
    t.is(new URL(path, 'https://ours.example').origin, 'https://ours.example');
    t.notRegex(path, /^\/[/\\]|[\r\n]/);
    if (typeof foreign !== 'string' || !foreign.startsWith('/%')) t.is(path, '/start');
  });
}

test('any requested path keeps the browser on our site', (t) => {
  const nasty = fc.string({
    unit: fc.constantFrom('/', '\\', '.', ':', '@', '\t', '\n', '%2f', '%5c', 'e', '?', '#', ' '),
  });
  fc.assert(
    fc.property(nasty, (text) => {
      for (const asked of [text, `/${text}`]) {
        const { origin } = new URL(safePath(asked), 'https://ours.example');
        t.is(origin, 'https://ours.example');
      }
    }),
  );
});
