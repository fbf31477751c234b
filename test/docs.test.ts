import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { generatedPages, withTables } from '../dev/make-docs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const readme = read('README.md');
/** The paths of all Markdown pages in the repository. */
const pages = filesOf('md');
/** The paths of all code and configuration files. */
const sources = filesOf('{ts,mjs,yml,yaml}');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

for (const { page, tables } of generatedPages) {
  test(`${basename(page.pathname)} has what the code says, and describes each row`, (t) => {
    const text = readFileSync(page, 'utf8');
    t.is(text, withTables(text, tables), 'run npm run make -- docs');
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

test('the README has every folder with source', (t) => {
  const [, map = ''] = /```(\napi\/.*?)```/s.exec(readme) ?? [];
  const hidden = /^(?:node_modules|\..*)$/;
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !hidden.test(entry.name),
  );
  t.deepEqual(
    folders.map(({ name }) => name).filter((name) => !map.includes(`\n${name}/ `)),
    [],
  );
});

/** Headings as a browser links to them. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');

const headingsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading ?? '');

test('every link within the pages leads to a file, and to a heading of it', (t) => {
  for (const page of pages) {
    const prose = read(page).replace(/^```[\s\S]*?^```$/gm, '');
    const links = [
      ...prose.matchAll(/\]\((?!https?:)([^)]+)\)/g),
      ...prose.matchAll(/src(?:set)?="([^"]+)"/g),
    ].map(([, to]) => to ?? '');
    const isDead = (to: string) => {
      // Its headings are those of the page that is made of it: test/api/descriptions.test.ts.
      if (page === 'reference/introduction.md') return !to.startsWith('#');
      const [path = '', anchor] = to.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && !headingsOf(file).map(anchorOf).includes(anchor);
    };
    t.deepEqual(links.filter(isDead), [], page);
  }
});

/** What a page says in backticks that reads as code: `camelCase`, `call(…)`, `a.b`, or a file. */
const namesOf = (page: string): string[] =>
  [
    ...read(page)
      .replace(/^```[\s\S]*?^```$/gm, '')
      .matchAll(/`([^`\n]+)`/g),
  ]
    .map(([, code = '']) => code)
    .filter(
      (code) =>
        /^[\w./-]+\.(?:ts|mjs)$/.test(code) ||
        /^[a-z]\w*(?:\.\w+)*\(.*\)$/.test(code) ||
        /^[a-z]+[A-Z]\w*(?:\.\w+)*$/.test(code),
    );

/** Of Temporal, for a later version of a workflow: the code need not have it now. */
const ofTemporal = ['deprecatePatch'];

test('the pages about the code name what is in it', (t) => {
  const files = sources.filter((file) => file !== 'test/docs.test.ts');
  const code = files.map((file) => read(file).replace(/^\s*(?:\*|\/\*|\/\/).*$/gm, '')).join('\n');
  const words = new Set(code.match(/\w+/g));
  const called = new Set([...code.matchAll(/(\w+)(?:<[^<>()]*>)?\(/g)].map(([, name]) => name));
  const isThere = (name: string): boolean => {
    if (ofTemporal.includes(name)) return true;
    if (/\.(?:ts|mjs)$/.test(name)) return files.some((file) => `/${file}`.endsWith(`/${name}`));
    const [path = '', call] = name.split('(');
    const parts = path.split('.');
    if (call !== undefined && !called.has(parts.at(-1))) return false;
    return parts.every((part) => words.has(part));
  };
  const missing = pages
    .filter((page) => /^docs\/(?:contribute|concepts)\//.test(page))
    .flatMap((page) => namesOf(page).filter((name) => !isThere(name)));
  t.deepEqual(missing, []);
});

test('every page of docs/ is in its index, and every picture on a page', (t) => {
  const index = read('docs/README.md');
  const inDocs = pages.filter((page) => /^docs\/(?!README|decisions\/)/.test(page));
  t.deepEqual(
    inDocs.filter((page) => !index.includes(`(${page.replace('docs/', '')})`)),
    [],
  );
  const decisions = read('docs/decisions/README.md');
  t.deepEqual(
    readdirSync(join(root, 'docs/decisions')).filter(
      (name) => name !== 'README.md' && !decisions.includes(`(${name})`),
    ),
    [],
  );
  const everything = pages.map(read).join('\n');
  t.deepEqual(
    readdirSync(join(root, 'docs/screenshots')).filter((name) => !everything.includes(name)),
    [],
  );
});

/** Prose without code, links' addresses and punctuation. */
const wordsOf = (page: string): number =>
  read(page)
    .replace(/<!-- made by[\s\S]*?<!-- end -->/g, '')
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .match(/[\p{L}\p{N}][^\s|]*/gu)?.length ?? 0;

test('pages are short enough to be read', (t) => {
  const limits: [pages: RegExp, words: number][] = [
    [/^docs\/integrate\//, 600],
    [/^docs\/decisions\/\d/, 300],
    [/^README\.md$/, 600],
    [/^docs\//, 1_700],
  ];
  const tooLong = pages.filter((page) => {
    const [, words = Number.POSITIVE_INFINITY] = limits.find(([some]) => some.test(page)) ?? [];
    return wordsOf(page) > words;
  });
  t.deepEqual(tooLong, []);
});

/** Words for which the style has one other word (docs/contribute/style.md, Words). */
const avoided: readonly [word: RegExp, write: string][] = [
  [/\bwhat became of\b/i, 'what happened to'],
  [/\bunbegun\b/i, 'waiting'],
  [/\bthe books\b/i, 'the ledger'],
  [/\bevents? log\b|\blog of requests\b/i, 'request log'],
  [/\be-mails?\b/i, 'email'],
  [/\bmails\b/i, 'emails'],
  [/\blog(?:ged)? in\b|\blogin\b/i, 'sign in'],
  [/\bfree (?:funding|funds|balance|money)\b/i, 'available'],
  [/\b(?:a|each|every|first|last|the|ten) tr(?:y|ies)\b/i, 'attempt'],
  [/\b(?:the|an|its|their|every|each|our|stored|same) answers?\b/i, 'response'],
  [/\bdeeds?\b/i, 'operation'],
];

test('pages and alerts use one word for one thing', (t) => {
  const texts = [...pages.filter((page) => !/CHANGELOG|style\.md|decisions/.test(page))];
  const found = [...texts, 'deploy/prometheus/alerts.yml'].flatMap((page) => {
    const prose = read(page)
      .replace(/^```[\s\S]*?^```$/gm, '')
      .replaceAll(/`[^`]*`/g, '');
    return avoided.flatMap(([word, write]) => {
      const [hit] = word.exec(prose) ?? [];
      return hit === undefined ? [] : [`${page}: “${hit}”, write “${write}”`];
    });
  });
  t.deepEqual(found, []);
});

test('no code, page or message uses the worst of them', (t) => {
  const words =
    /\bwhat became of\b|\bunbegun\b|\bthe books\b|\bevents log\b|\blog of requests\b|\bfree funding\b/i;
  const texts = [...sources, 'messaging/words/en.json'].filter(
    (file) => file !== 'test/docs.test.ts',
  );
  t.deepEqual(
    texts.filter((file) => words.test(read(file))),
    [],
  );
});

test('every alert leads to its part of the page of alerts', (t) => {
  const alerts = read('deploy/prometheus/alerts.yml');
  const leads = [
    ...alerts.matchAll(/runbook_url: https:..{{ \$labels\.partner_events }}(\S+)#(\S+)/g),
  ];
  t.is(leads.length, [...alerts.matchAll(/- alert: /g)].length);
  const headings = headingsOf('docs/operate/alerts.md').map(anchorOf);
  for (const [, page, anchor = ''] of leads) {
    t.is(page, '/admin/alerts');
    t.true(headings.includes(anchor), anchor);
  }
});

test('every file and folder named for contributors exists', (t) => {
  for (const page of ['CONTRIBUTING.md', 'docs/contribute/recipes.md']) {
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

/** Names of Temporal's and of the web, which the code does not use. */
const namesOfOthers: readonly string[] = ['patched', 'deprecatePatch', 'eval'];

test('every name in the style of code, on a page about the code, is in it', (t) => {
  const names = sources.flatMap((file) => {
    const text = read(file);
    if (/\.ya?ml$/.test(file)) return text.match(/\w+(?=:)/g) ?? [];
    // The titles of tests are prose, as comments are.
    if (file.endsWith('.test.ts')) return [];
    const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
    return code.match(/\w+/g) ?? [];
  });
  const known = new Set([...namesOfOthers, ...names]);
  const found: string[] = [];
  const wrong: string[] = [];
  const about = /^(?:CONTRIBUTING\.md|docs\/(?:contribute|concepts)\/)/;
  for (const page of pages.filter((name) => about.test(name))) {
    const prose = read(page).replace(/^```[\s\S]*?^```$/gm, '');
    // `name`, `name(arguments)`, `its.name`, `Name<Type>`
    for (const [, name = ''] of prose.matchAll(
      /`([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(?:\([^`]*\)|<[^`]*>)?`/g,
    )) {
      if (existsSync(join(root, name))) continue;
      found.push(name);
      if (!name.split('.').every((part) => known.has(part))) wrong.push(`${page}: ${name}`);
    }
    for (const [said, name = '', file = ''] of prose.matchAll(
      /`([\w.-]+)(?:\([^`]*\))?`\s+of\s+\[[^\]]+\]\(([^)#]+\.ts)\)/g,
    )) {
      if (!read(join(dirname(page), file)).includes(name)) wrong.push(`${page}: ${said}`);
    }
  }
  t.true(found.length > 100);
  t.deepEqual(wrong, []);
});

test('every page and section that a comment or an alert cites exists', (t) => {
  const cited: string[] = [];
  const wrong: string[] = [];
  for (const file of sources) {
    const text = read(file).replaceAll(/\n[ \t]*(?:\*|\/\/|#)[ \t]?/g, ' ');
    for (const [citation] of text.matchAll(/(?<!["'`/\w.])docs\/[\w/-]+\.md(?:, [^);]{1,60})?/g)) {
      const [page = '', section] = citation.split(/, (.*)/s);
      cited.push(citation);
      const isThere =
        existsSync(join(root, page)) &&
        (section === undefined || headingsOf(page).some((heading) => section.startsWith(heading)));
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
    exclude: (name) => /(?:^|\/)(?:node_modules|dist|\.[^/]+)$/.test(name),
  });
}
