import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const readme = read('README.md');
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'partner-sdk/README.md'],
  ...['docs/money.md', 'docs/billing.md', 'docs/changing-it.md', 'docs/operations.md'],
  'docs/portal.md',
  ...['docs/privacy.md', 'docs/threats.md', 'docs/proofs/crash.md'],
  ...readdirSync(join(root, 'docs/decisions')).map((file) => `docs/decisions/${file}`),
];
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

test('the README explains every variable of the configuration', (t) => {
  const names = [...read('platform/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+): Joi/gm)].map(
    ([, name]) => name ?? '',
  );
  t.true(names.length > 25);
  t.deepEqual(
    names.filter((name) => !readme.includes(`\`${name}\``)),
    [],
  );
});

test('every command that a page names is there, and runs a file that is', (t) => {
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:--silent )?([a-z\d:-]+)/g)].map(([, name]) => name ?? ''),
  );
  t.deepEqual(
    named.filter((name) => !(name in scripts)),
    [],
  );
  const missing = Object.values(scripts)
    .map((script) => / (\w\S+\.ts)$/.exec(script)?.[1])
    .filter((file) => file !== undefined && !existsSync(join(root, file)));
  t.deepEqual(missing, []);
});

test('every command is named by the README, or by the page for contributors', (t) => {
  const named = readme + read('CONTRIBUTING.md');
  t.deepEqual(
    Object.keys(scripts).filter(
      (name) => !new RegExp(`npm (?:run )?${name}(?![\\w:])`).test(named),
    ),
    [],
  );
});

test('the README’s layout has every folder that holds source', (t) => {
  const [, layout = ''] = /## How the house is laid out\n\n```(\n.*?)```/s.exec(readme) ?? [];
  const hidden = /^(?:node_modules|\..*)$/;
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !hidden.test(entry.name),
  );
  t.deepEqual(
    folders.map(({ name }) => name).filter((name) => !layout.includes(`\n${name}/ `)),
    [],
  );
});

test('every link within the pages leads to a file', (t) => {
  for (const page of pages) {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to]) => to ?? '');
    t.deepEqual(
      links.filter((to) => !existsSync(join(root, dirname(page), to))),
      [],
      page,
    );
  }
});

test('every file and folder that the pages for contributors name is there', (t) => {
  for (const page of ['CONTRIBUTING.md', 'docs/changing-it.md']) {
    const named = [...read(page).matchAll(/`((?:[\w-]+\/)+(?:[\w.-]+\.\w+)?)`/g)];
    const paths = named.map(([, path]) => path ?? '');
    t.true(paths.length > 5, page);
    t.deepEqual(
      paths.filter((path) => !existsSync(join(root, path))),
      [],
      page,
    );
  }
});

test('every test that proves that a threat is held off is there', (t) => {
  const rows = read('docs/threats.md')
    .split('\n')
    .filter((line) => /^\| (?!-|what could happen)/.test(line));
  t.true(rows.length > 30);
  for (const row of rows) {
    const [, , , provedBy = ''] = row.split('|');
    const named = [...provedBy.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, file]) => file ?? '');
    t.true(named.length > 0, row);
    t.deepEqual(
      named.filter((file) => !existsSync(join(root, 'test', file))),
      [],
      row,
    );
  }
});
