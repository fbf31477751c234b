import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What one folder of the house may import, of ours and from outside. */
interface Place {
  /** Folders of ours, besides itself. */
  ours: readonly string[];
  /** Folders of ours that it may ask for types alone. */
  typesOf?: readonly string[];
  /** The only packages it may use; without this, any but the forbidden. */
  onlyPackages?: readonly string[];
  forbiddenPackages?: readonly string[];
}

const koa = ['koa', '@koa/router'];

/** The house: a request travels api → workflows → activities → models, and nobody imports upwards. */
const house: Record<string, Place> = {
  domain: { ours: [], onlyPackages: ['luxon', 'libphonenumber-js'] },
  platform: { ours: ['domain'], forbiddenPackages: koa },
  models: {
    ours: ['messaging', 'platform', 'domain'],
    typesOf: ['clients'],
    forbiddenPackages: [...koa, '@temporalio/*'],
  },
  messaging: { ours: ['platform', 'domain'], forbiddenPackages: koa },
  activities: {
    ours: ['models', 'messaging', 'temporal', 'platform', 'domain'],
    typesOf: ['workflows'],
    forbiddenPackages: koa,
  },
  workflows: {
    ours: ['domain'],
    typesOf: ['activities'],
    onlyPackages: ['@temporalio/workflow', '@temporalio/common'],
  },
  // How everybody else talks to Temporal.
  temporal: { ours: ['workflows', 'platform', 'domain'], forbiddenPackages: koa },
  // What a partner reports: recorded and answered.
  events: { ours: ['temporal', 'models', 'platform', 'domain'], forbiddenPackages: koa },
  // What the faces share of HTTP.
  http: { ours: ['temporal', 'models', 'platform', 'domain'] },
  // What a person does, whichever face it comes through.
  operations: {
    ours: ['temporal', 'workflows', 'models', 'messaging', 'platform', 'domain'],
    forbiddenPackages: koa,
  },
  api: {
    ours: [
      'operations',
      'events',
      'http',
      'temporal',
      'workflows',
      'models',
      'messaging',
      'platform',
      'domain',
      'clients',
    ],
  },
  portal: {
    ours: [
      'operations',
      'http',
      'temporal',
      'workflows',
      'models',
      'messaging',
      'platform',
      'domain',
      'clients',
    ],
  },
  worker: {
    ours: ['workflows', 'activities', 'temporal', 'models', 'messaging', 'platform', 'domain'],
    forbiddenPackages: koa,
  },
  cli: {
    ours: ['operations', 'models', 'messaging', 'temporal', 'platform', 'domain'],
    forbiddenPackages: koa,
  },
  clients: { ours: [] },
  deploy: { ours: ['platform', 'temporal'] },
};

/** Folders that may import anything, and that nothing of the house may import. */
const workshop = ['dev', 'test'];

interface Import {
  file: string;
  specifier: string;
  typeOnly: boolean;
}

const skipped = new Set(['node_modules', '.git', '.data', 'dist']);

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return entry.isFile() ? [relative(root, path)] : [];
  });
}

const files = filesUnder(root);
const sources = files.filter((file) => ['.ts', '.mjs', '.js'].includes(extname(file)));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const folderOf = (file: string): string => file.split(sep)[0] ?? '';

const statement =
  /^[ \t]*(?:import|export)\b(?<type>[ \t]+type\b(?![ \t]*(?:,|from\b)))?(?:[^'"`;=()]*?\bfrom)?\s*['"](?<from>[^'"]+)['"]/gm;
const call = /\b(?:import|require)\s*\(\s*['"`](?<from>[^'"`]+)['"`]/g;

/** The import statements of a source. Only `import type` is gone at run time, so only it counts as a type. */
function importsIn(file: string, text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^[ \t]*\/\/.*$/gm, '');
  const found = (pattern: RegExp): Import[] =>
    [...code.matchAll(pattern)].map(({ groups }) => ({
      file,
      specifier: groups?.from ?? '',
      typeOnly: groups?.type !== undefined,
    }));
  return [...found(statement), ...found(call)];
}

const importsOf = (folder: string): Import[] =>
  sources
    .filter((file) => folderOf(file) === folder)
    .flatMap((file) => importsIn(file, read(file)));

const isOurs = ({ specifier }: Import): boolean => specifier.startsWith('.');
const isBuiltin = ({ specifier }: Import): boolean =>
  specifier.startsWith('node:') || builtinModules.includes(specifier);

/** The folder of the house that an import leads to. */
const targetOf = ({ file, specifier }: Import): string => folderOf(join(dirname(file), specifier));

function packageOf({ specifier }: Import): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

const matches = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );

const spelled = ({ file, specifier }: Import): string => `${file} imports ${specifier}`;

test('the import parser finds every kind of import', (t) => {
  const text = `
import one from 'one';
import type { Two } from 'two';
import { type Three, three } from 'three';
import {
  four,
  five,
} from "four";
import 'five';
export { six } from 'six';
export * from 'seven';
export type { Eight } from 'eight';
import nine, * as all from 'nine';
import type from 'ten';
/** import eleven from 'eleven'; */
// import twelve from 'twelve';
const text = 'import nothing';
const thirteen = await import('thirteen');
export const fourteen = 'fourteen';
export function from() { return 'fifteen'; }
`;
  const values = ['one', 'three', 'four', 'five', 'six', 'seven', 'nine', 'ten', 'thirteen'];
  const found = importsIn('a.ts', text);
  t.deepEqual(
    found.filter(({ typeOnly }) => !typeOnly).map(({ specifier }) => specifier),
    values,
  );
  t.deepEqual(
    found.filter(({ typeOnly }) => typeOnly).map(({ specifier }) => specifier),
    ['two', 'eight'],
  );
});

/** A room within models/: through which door it is entered, by whom, and what it may ask itself. */
interface Room {
  /** The one file that others import; without it, each of its files is a door. */
  door?: string;
  /** Other rooms that it may import. */
  asks: readonly string[];
  /** Folders of the house that may import it. */
  openTo: readonly string[];
}

const everyone = [
  'activities',
  'api',
  'cli',

  'events',
  'http',
  'operations',
  'portal',
  'worker',
];

/** The rooms of models/, from the ground up: each asks those before it alone. */
const rooms: Record<string, Room> = {
  schemas: { asks: [], openTo: everyone },
  // Insert once, conditional write, leases, and what is sealed.
  store: { asks: ['schemas'], openTo: everyone },
  identity: { asks: ['schemas', 'store'], openTo: everyone },
  ledger: { door: 'index.ts', asks: ['schemas', 'store'], openTo: everyone },
  billing: { door: 'index.ts', asks: ['schemas', 'store', 'ledger'], openTo: everyone },
  rewards: { asks: ['schemas', 'store', 'ledger'], openTo: everyone },
  events: { asks: ['schemas', 'store', 'rewards', 'ledger'], openTo: everyone },
  // What partners' endpoints are told: the outbox, and what goes into it.
  webhooks: { asks: ['schemas', 'store', 'ledger', 'billing'], openTo: everyone },
  // What a page shows, read in one go; it writes nothing.
  views: {
    asks: ['schemas', 'store', 'identity', 'ledger', 'billing', 'rewards', 'events'],
    openTo: ['api', 'operations', 'portal', 'worker'],
  },
  // What takes longer than an answer may.
  jobs: {
    door: 'index.ts',
    asks: ['schemas', 'store', 'identity', 'ledger', 'billing', 'rewards', 'events', 'views'],
    openTo: ['activities', 'operations', 'portal'],
  },
  // It knows the names of the operations that move money, and of the rest what is stored.
  audit: {
    door: 'index.ts',
    asks: ['schemas', 'store', 'ledger', 'billing', 'rewards', 'events'],
    openTo: ['activities', 'cli', 'worker'],
  },
};

/** The room within models/ that a file is in; undefined for one that is in none. */
function roomOf(file: string): string | undefined {
  const [folder, room, ...rest] = file.split(sep);
  return folder === 'models' && rest.length > 0 ? room : undefined;
}

const ofTheHouse = sources.filter((file) => folderOf(file) in house);
/** Imports of ours, with the file that each leads to. */
const led = ofTheHouse.flatMap((file) =>
  importsIn(file, read(file))
    .filter(isOurs)
    .map((one) => ({ ...one, to: join(dirname(file), one.specifier) })),
);

test('every folder within models/ has a place in the map', (t) => {
  const found = new Set(ofTheHouse.flatMap((file) => roomOf(file) ?? []));
  t.deepEqual([...found].toSorted(), Object.keys(rooms).toSorted());
});

for (const [room, { door, asks, openTo }] of Object.entries(rooms)) {
  const entering = led.filter(({ file, to }) => roomOf(to) === room && roomOf(file) !== room);

  test(`models/${room} is open to ${openTo.join(', ')} and the models above it`, (t) => {
    const strangers = entering.filter(({ file }) => {
      const from = roomOf(file);
      if (from !== undefined) return !rooms[from]?.asks.includes(room);
      return folderOf(file) !== 'models' && !openTo.includes(folderOf(file));
    });
    t.deepEqual(strangers.map(spelled), []);
  });

  if (door !== undefined) {
    test(`models/${room} is imported only through ${door}`, (t) => {
      const other = entering.filter(({ to }) => to !== join('models', room, door));
      t.deepEqual(other.map(spelled), []);
    });
  }

  test(`models/${room} imports of the other models ${asks.length > 0 ? asks.join(', ') : 'none'}`, (t) => {
    const upwards = led.filter(({ file, to }) => {
      const asked = roomOf(to);
      return (
        roomOf(file) === room && asked !== undefined && asked !== room && !asks.includes(asked)
      );
    });
    t.deepEqual(upwards.map(spelled), []);
  });
}

test('outside models/, schemas are used only as types: documents are not validated by hand', (t) => {
  const values = led.filter(
    ({ file, to, typeOnly }) =>
      folderOf(file) !== 'models' &&
      roomOf(to) === 'schemas' &&
      !typeOnly &&
      to !== join('models', 'schemas', 'index.ts'),
  );
  t.deepEqual(values.map(spelled), []);
});

test('only models/rewards moves a reward, by the state table', (t) => {
  const movers = ofTheHouse.filter(
    (file) =>
      /\brewards\b[\s\S]{0,40}\.(updateOne|updateMany|findOneAndUpdate|bulkWrite)\(/.test(
        read(file),
      ) && !file.startsWith(join('models', 'rewards', '')),
  );
  t.deepEqual(movers, []);
});

test('no page queries MongoDB: it reads views', (t) => {
  const composing = ['server.ts', 'metrics.ts'].map((file) => join('portal', file));
  const querying = ofTheHouse.filter(
    (file) =>
      folderOf(file) === 'portal' &&
      !composing.includes(file) &&
      !file.startsWith(join('portal', 'session', '')) &&
      /\bmodels\.\w/.test(read(file)),
  );
  t.deepEqual(querying, []);
});

test('no portal route uses a model: it reads views, and writes through operations', (t) => {
  const models = led.filter(
    ({ file, to, typeOnly }) =>
      file.startsWith(join('portal', 'routes', '')) &&
      folderOf(to) === 'models' &&
      roomOf(to) !== 'views' &&
      !typeOnly,
  );
  t.deepEqual(models.map(spelled), []);
});

test('a partner’s page reads only for the signed-in partner', (t) => {
  const unscoped = ofTheHouse.filter(
    (file) =>
      file.startsWith(join('portal', 'routes', '')) &&
      !file.startsWith(join('portal', 'routes', 'admin', '')) &&
      /\bscopeOf\(/.test(read(file)),
  );
  t.deepEqual(unscoped, []);
});

/** What says whose rows a view reads: a scope, a filter that has one, or something that was found by one. */
const ofSomebody =
  /\b(PartnerScope|ReadScope|LogFilter|PartnerDoc|CredentialDoc|EarningRule|WebhookEndpointDoc)\b/;
/** What belongs to no partner: a user's account, and what the holder of a link is shown. */
const ofNoPartner = [
  ...['readAccount', 'readNotices', 'readPartner', 'readInvitation', 'findLogo'],
  ...['createReadClaim', 'findPointsLink', 'readCustomerPoints'],
];

/** The parameters of what a file exports under a name. */
function parametersOf(file: string, name: string): string {
  const text = read(file);
  const declared = text.slice(
    text.search(new RegExp(`export (async function|function|const) ${name}\\b`)),
  );
  return declared.slice(0, declared.search(/\)(: Promise| \{\n)|: Readable/));
}

test('each read of a partner’s page takes the partner as a parameter', (t) => {
  const imported = ofTheHouse
    .filter((file) => /^portal.((routes|programs).)?[\w-]+\.ts$/.test(file))
    .flatMap((file) => [
      ...read(file).matchAll(/import \{([^}]*)\} from '[./]+(models\/views\/[\w-]+\.ts)'/g),
    ])
    .flatMap(([, names = '', view = '']) =>
      [...names.matchAll(/(?<!type )\b[a-z]\w+(?=,|\s*$)/g)].map(([name]) => ({ name, view })),
    )
    .filter(({ name }) => name !== 'scopeOf' && !ofNoPartner.includes(name));
  t.true(imported.length > 40);
  const unscoped = imported.filter(({ name, view }) => !ofSomebody.test(parametersOf(view, name)));
  t.deepEqual(unscoped, []);
});

test('views write nothing', (t) => {
  const write = /\.(create|save|bulkWrite|replaceOne|(insert|update|delete|findOneAnd)\w+)\(/;
  const writing = ofTheHouse.filter(
    (file) => file.startsWith(join('models', 'views', '')) && write.test(read(file)),
  );
  t.deepEqual(writing, []);
});

test('every folder with source is in the map', (t) => {
  const folders = new Set(sources.filter((file) => file.includes(sep)).map(folderOf));
  const homeless = [...folders].filter(
    (folder) => !folder.startsWith('.') && !(folder in house) && !workshop.includes(folder),
  );
  t.deepEqual(homeless, []);
});

for (const [folder, place] of Object.entries(house)) {
  const { ours, typesOf = [], onlyPackages, forbiddenPackages = [] } = place;
  const imports = importsOf(folder);

  test(`${folder}/ contains source`, (t) => {
    t.true(sources.some((file) => folderOf(file) === folder));
  });

  test(`${folder}/ imports only ${[folder, ...ours].join(', ')} of our folders`, (t) => {
    const upwards = imports.filter(isOurs).filter((one) => {
      const target = targetOf(one);
      const allowed = target === folder || ours.includes(target);
      return !allowed && !(one.typeOnly && typesOf.includes(target));
    });
    t.deepEqual(upwards.map(spelled), []);
  });

  const packages = imports.filter((one) => !isOurs(one) && !isBuiltin(one));

  if (onlyPackages) {
    test(`${folder}/ uses no package but ${onlyPackages.join(', ')}, and nothing of Node`, (t) => {
      const others = packages.filter((one) => !onlyPackages.includes(packageOf(one)));
      t.deepEqual([...others, ...imports.filter(isBuiltin)].map(spelled), []);
    });
  }

  if (forbiddenPackages.length > 0) {
    test(`${folder}/ does not use ${forbiddenPackages.join(', ')}`, (t) => {
      const used = packages.filter((one) => matches(packageOf(one), forbiddenPackages));
      t.deepEqual(used.map(spelled), []);
    });
  }

  test(`${folder}/ uses only packages that a deployment installs`, (t) => {
    const { dependencies } = JSON.parse(read('package.json')) as {
      dependencies: Record<string, string>;
    };
    // The examples for partners import the client by its name, as partners do.
    const installed = { ...dependencies, 'partner-events': 'clients/typescript' };
    const missing = packages.filter((one) => !one.typeOnly && !(packageOf(one) in installed));
    t.deepEqual(missing.map(spelled), []);
  });
}

/** Our files that a file imports, optionally not those of which it only imports types. */
const importedBy = (file: string, isAtRunTime = false): string[] =>
  importsIn(file, read(file))
    .filter((one) => isOurs(one) && !(isAtRunTime && one.typeOnly))
    .map(({ specifier }) => join(dirname(file), specifier))
    .filter((imported) => sources.includes(imported));

test('no module of the workflow bundle keeps state: all workflows of a thread share it', (t) => {
  const bundled = new Set<string>(['workflows/index.ts', 'workflows/trace-header.ts']);
  for (const file of bundled) for (const next of importedBy(file, true)) bundled.add(next);
  t.true(bundled.has('workflows/purchase-lifecycle.ts') && bundled.has('domain/reward-states.ts'));
  const state =
    /^(export )?(let|var) |^(export )?const \w+(: .+)? = (new (Map|WeakMap|WeakSet)\b|\[\];|\{\};)|^ {2}static /m;
  t.deepEqual(
    [...bundled].filter((file) => state.test(read(file))),
    [],
  );
});

test('there are no circular imports, types included', (t) => {
  const circles: string[] = [];
  const done = new Set<string>();
  const follow = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file);
    if (start >= 0) circles.push([...way.slice(start), file].join(' → '));
    if (start >= 0 || done.has(file)) return;
    for (const next of importedBy(file)) follow(next, [...way, file]);
    done.add(file);
  };
  for (const file of sources) follow(file, []);
  t.deepEqual(circles, []);
});

test('the service never writes to the console', (t) => {
  const writing = sources.filter((file) => /\bconsole\.(log|info|debug|warn)\b/.test(read(file)));
  t.deepEqual(writing, []);
});

test('no source contains a to-do', (t) => {
  const unfinished = sources.filter((file) => /\b(TO)(DO)\b|\b(FIX)(ME)\b/.test(read(file)));
  t.deepEqual(unfinished, []);
});

test('no file contains a path of a developer’s machine', (t) => {
  const texts = ['.ts', '.mjs', '.js', '.json', '.yaml', '.yml', '.md', '.html', '.css', '.sh', ''];
  const machinePath = /(?<![\w.~-])\/(?:home|root|Users|work)\/\w|\b[A-Z]:\\Users\b/;
  const naming = files
    .filter((file) => texts.includes(extname(file)))
    .filter((file) => machinePath.test(read(file)));
  t.deepEqual(naming, []);
});
