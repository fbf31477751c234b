import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { pagesWithTables, withTable } from '../dev/docs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const readme = read('README.md');
/** The paths of all Markdown pages in the repository. */
const pages = filesOf('md');
/** The paths of all code and configuration files. */
const sources = filesOf('{ts,mjs,yml,yaml}');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

for (const { page, table } of pagesWithTables) {
  test(`the table in ${basename(page.pathname)} is generated from the code, and describes each row`, (t) => {
    const text = readFileSync(page, 'utf8');
    t.is(text, withTable(text, table), 'run npm run docs');
    t.notRegex(text, /\| +\|$/m);
  });
}

test('every command on a page exists, and runs an existing file', (t) => {
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

test('every command is on a page', (t) => {
  const named = pages.map(read).join('\n');
  t.deepEqual(
    Object.keys(scripts).filter(
      (name) => !new RegExp(`npm (?:run )?${name}(?![\\w:])`).test(named),
    ),
    [],
  );
});

test('the README’s map has every folder with source', (t) => {
  const [, map = ''] = /## The map\n\n```(\n.*?)```/s.exec(readme) ?? [];
  const hidden = /^(?:node_modules|\..*)$/;
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !hidden.test(entry.name),
  );
  t.deepEqual(
    folders.map(({ name }) => name).filter((name) => !map.includes(`\n${name}/ `)),
    [],
  );
});

test('every link within the pages leads to a file', (t) => {
  for (const page of pages) {
    const prose = read(page).replace(/^```[\s\S]*?^```$/gm, '');
    const links = [...prose.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to]) => to ?? '');
    t.deepEqual(
      links.filter((to) => !existsSync(join(root, dirname(page), to))),
      [],
      page,
    );
  }
});

test('every file and folder named for contributors exists', (t) => {
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

test('every test cited for a threat exists', (t) => {
  // The generated table of operations cites no tests: one test covers them all.
  const [before = '', ...rest] = read('docs/threats.md').split('<!-- made by');
  const after = rest.join('').split('<!-- end -->').at(-1) ?? '';
  const rows = (before + after)
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

/** The pages of rules. */
const rulePages = ['docs/contract.md', 'docs/domain.md'];

test('every rule of the contract and the domain cites an existing test', (t) => {
  for (const page of rulePages) {
    const rules = read(page)
      .split(/\n\n|\n(?=- |\d+\. )/)
      .filter((block) => /^(?:- |\d+\. )/.test(block));
    t.true(rules.length > 20, page);
    t.deepEqual(
      rules.filter((rule) => !/\]\(\.\.\/test\/[^)]+\.test\.ts\)$/.test(rule.trim())),
      [],
      page,
    );
  }
});

test('every page and section that a comment or an alert cites exists', (t) => {
  const sections = (page: string): string[] =>
    [...read(page).matchAll(/^#{1,3} (.+)$/gm)].map(([, heading]) => heading ?? '');
  const cited: string[] = [];
  const wrong: string[] = [];
  for (const file of sources) {
    const text = read(file).replaceAll(/\n[ \t]*(?:\*|\/\/|#)[ \t]?/g, ' ');
    for (const [citation] of text.matchAll(/(?<!["'`/\w.])docs\/[\w/-]+\.md(?:, [^);]{1,60})?/g)) {
      const [page = '', section] = citation.split(/, (.*)/s);
      cited.push(citation);
      const isThere =
        existsSync(join(root, page)) &&
        (section === undefined || sections(page).some((heading) => section.startsWith(heading)));
      if (!isThere) wrong.push(`${file}: ${citation}`);
    }
    // Citations without a path refer to documents outside the repository.
    for (const [citation] of text.matchAll(
      /[(; ](?:contract|domain|house|specification), [A-Z][^)]*/g,
    )) {
      wrong.push(`${file}: ${citation}`);
    }
  }
  t.true(cited.length > 50);
  t.deepEqual(wrong, []);
});

/** The repository's files with an extension, without installed packages and hidden folders. */
function filesOf(extension: string): string[] {
  return globSync(`**/*.${extension}`, {
    cwd: root,
    exclude: (name) => /(?:^|\/)(?:node_modules|\.[^/]+)$/.test(name),
  });
}
