import test from 'ava';
import { carriedOver, sectionIn, withSection } from '../../../dev/bench/section.ts';

const page = '# Page\n\n## One\n\n1\n\n### In it\n\n## Two\n\n2\n';

test('a section replaces the one under its heading, or is appended', (t) => {
  const one = '## One\n\n$& new\n';
  t.is(withSection(page, one), '# Page\n\n## One\n\n$& new\n\n## Two\n\n2\n');
  t.is(withSection(page, '## Two\n\n3\n'), page.replace('2\n', '3\n'));
  t.is(withSection(page, '## Three\n\n3\n'), `${page}\n## Three\n\n3\n`);
  t.is(withSection(page, ''), page);
});

test('a section is found by its complete heading', (t) => {
  t.is(sectionIn(page, '## Two'), '## Two\n\n2\n');
  t.is(sectionIn(page, '## One'), '## One\n\n1\n\n### In it\n\n');
  t.is(sectionIn(page, '## On'), '');
});

test('rewriting a page keeps the sections written by others, in order', (t) => {
  const rewritten = '# Page\n\n## One\n\nnew\n';
  const before = `${page}\n## Three (by hand)\n\n3\n`;
  t.is(carriedOver(before, rewritten), `${rewritten}\n## Two\n\n2\n\n## Three (by hand)\n\n3\n`);
  t.is(carriedOver('', rewritten), rewritten);
});
