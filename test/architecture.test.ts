import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What one folder of the service may import. */
interface Layer {
  /** Other folders of the service. */
  folders: readonly string[];
  /** The only file that other folders may import; by default, they may import every file. */
  entry?: string;
  /** Folders of the service from which it may import only types. */
  typesFrom?: readonly string[];
  /** The only packages it may use; by default, all except the forbidden ones. */
  onlyPackages?: readonly string[];
  forbiddenPackages?: readonly string[];
}

const koa = ['koa', '@koa/router'];

/** The service's folders. A request travels api → workflows → activities → models; nothing imports upwards. */
const layers: Record<string, Layer> = {
  domain: { folders: [], onlyPackages: ['luxon', 'libphonenumber-js'] },
  platform: { folders: ['domain'], forbiddenPackages: koa },
  models: {
    folders: ['messaging', 'platform', 'domain'],
    typesFrom: ['clients'],
    forbiddenPackages: [...koa, '@temporalio/*'],
  },
  messaging: { folders: ['platform', 'domain'], forbiddenPackages: koa },
  // Read-only: what a page shows or a CSV contains.
  views: {
    folders: ['models', 'platform', 'domain'],
    typesFrom: ['clients'],
    forbiddenPackages: [...koa, '@temporalio/*'],
  },
  // Work too long for a request.
  jobs: {
    entry: 'index.ts',
    folders: ['views', 'models', 'platform', 'domain'],
    forbiddenPackages: [...koa, '@temporalio/*'],
  },
  // Checks of the ledger, with expectations of its own.
  audit: {
    entry: 'index.ts',
    folders: ['models', 'platform', 'domain'],
    forbiddenPackages: [...koa, '@temporalio/*'],
  },
  activities: {
    folders: ['audit', 'jobs', 'models', 'messaging', 'temporal', 'platform', 'domain'],
    typesFrom: ['workflows'],
    forbiddenPackages: koa,
  },
  workflows: {
    folders: ['domain'],
    typesFrom: ['activities'],
    onlyPackages: ['@temporalio/workflow', '@temporalio/common'],
  },
  // The other folders’ access to Temporal.
  temporal: { folders: ['workflows', 'platform', 'domain'], forbiddenPackages: koa },
  // Records and answers the events that partners report.
  events: { folders: ['temporal', 'models', 'platform', 'domain'], forbiddenPackages: koa },
  // Reports what shops’ platforms deliver, as if it had been signed.
  connect: { folders: ['events', 'models', 'platform', 'domain'], forbiddenPackages: koa },
  // HTTP code shared by the API and the portal.
  // The OpenAPI document.
  reference: { folders: ['domain'], forbiddenPackages: koa },
  http: { folders: ['reference', 'temporal', 'models', 'platform', 'domain'] },
  // What people do, through the API, the portal or the command line.
  operations: {
    folders: [
      'temporal',
      'workflows',
      'jobs',
      'views',
      'models',
      'messaging',
      'platform',
      'domain',
    ],
    forbiddenPackages: koa,
  },
  api: {
    folders: [
      'operations',
      'connect',
      'events',
      'http',
      'jobs',
      'views',
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
    folders: [
      'operations',
      'http',
      'jobs',
      'views',
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
    folders: [
      'connect',
      'workflows',
      'activities',
      'temporal',
      'audit',
      'views',
      'models',
      'messaging',
      'platform',
      'domain',
    ],
    forbiddenPackages: koa,
  },
  cli: {
    folders: ['operations', 'audit', 'models', 'messaging', 'temporal', 'platform', 'domain'],
    forbiddenPackages: koa,
  },
  // The command, which is bundled, reads and writes money as the service does; the library stands alone.
  clients: { folders: ['domain'] },
  deploy: { folders: ['portal', 'platform', 'temporal'] },
};

/** Folders that may import anything, and that no folder of the service may import. */
const toolFolders = ['dev', 'prove', 'test'];

interface Import {
  file: string;
  specifier: string;
  typeOnly: boolean;
}

interface Manifest {
  dependencies: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const skipped = new Set(['node_modules', '.git', '.data', 'dist', '.medusa']);

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

/** The imports of a source. Only `import type` is erased at run time, so only it counts as a type import. */
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

/** The top-level folder that an import refers to. */
const targetOf = ({ file, specifier }: Import): string => folderOf(join(dirname(file), specifier));

function packageOf({ specifier }: Import): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

const matches = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );

const describe = ({ file, specifier }: Import): string => `${file} imports ${specifier}`;

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

/** The import rules of a folder within models/. */
interface ModelFolder {
  /** The only file that others may import; by default, they may import every file. */
  entry?: string;
  /** Other folders within models/ that it may import. */
  imports: readonly string[];
  /** Folders outside models/ that may import it. */
  openTo: readonly string[];
}

const everyone = [
  'activities',
  'api',
  'audit',
  'cli',
  'connect',
  'events',
  'http',
  'jobs',
  'operations',
  'portal',
  'views',
  'worker',
];

/** The folders of models/, from the bottom up: each imports only earlier ones. */
const modelFolders: Record<string, ModelFolder> = {
  schemas: { imports: [], openTo: everyone },
  // Inserting once, conditional writes, and encrypted documents.
  store: { imports: ['schemas'], openTo: everyone },
  identity: { imports: ['schemas', 'store'], openTo: everyone },
  ledger: { entry: 'index.ts', imports: ['schemas', 'store'], openTo: everyone },
  billing: { entry: 'index.ts', imports: ['schemas', 'store', 'ledger'], openTo: everyone },
  rewards: { imports: ['schemas', 'store', 'ledger'], openTo: everyone },
  events: { imports: ['schemas', 'store', 'rewards', 'ledger'], openTo: everyone },
  // The log of LIVE entries, with its signed heads.
  receipts: {
    imports: ['schemas', 'store', 'ledger'],
    openTo: ['activities', 'api', 'audit', 'operations', 'views'],
  },
  // Events for partners' endpoints, and their deliveries.
  webhooks: { imports: ['schemas', 'store', 'ledger', 'billing'], openTo: everyone },
};

/** The folder within models/ that contains a file; undefined for any other file. */
function modelFolderOf(file: string): string | undefined {
  const [folder, child, ...rest] = file.split(sep);
  return folder === 'models' && rest.length > 0 ? child : undefined;
}

const serviceSources = sources.filter((file) => folderOf(file) in layers);
/** The imports between files of the service, with the imported file. */
const ownImports = serviceSources.flatMap((file) =>
  importsIn(file, read(file))
    .filter(isOurs)
    .map((one) => ({ ...one, to: join(dirname(file), one.specifier) })),
);

test('every folder within models/ has a place in the map', (t) => {
  const found = new Set(serviceSources.flatMap((file) => modelFolderOf(file) ?? []));
  t.deepEqual([...found].toSorted(), Object.keys(modelFolders).toSorted());
});

for (const [folder, { entry, imports, openTo }] of Object.entries(modelFolders)) {
  const incoming = ownImports.filter(
    ({ file, to }) => modelFolderOf(to) === folder && modelFolderOf(file) !== folder,
  );

  test(`models/${folder} is open to ${openTo.join(', ')} and the models above it`, (t) => {
    const forbidden = incoming.filter(({ file }) => {
      const from = modelFolderOf(file);
      if (from !== undefined) return !modelFolders[from]?.imports.includes(folder);
      return folderOf(file) !== 'models' && !openTo.includes(folderOf(file));
    });
    t.deepEqual(forbidden.map(describe), []);
  });

  if (entry !== undefined) {
    test(`models/${folder} is imported only through ${entry}`, (t) => {
      const other = incoming.filter(({ to }) => to !== join('models', folder, entry));
      t.deepEqual(other.map(describe), []);
    });
  }

  test(`models/${folder} imports of the other models ${imports.length > 0 ? imports.join(', ') : 'none'}`, (t) => {
    const upwards = ownImports.filter(({ file, to }) => {
      const target = modelFolderOf(to);
      if (modelFolderOf(file) !== folder || target === undefined) return false;
      return target !== folder && !imports.includes(target);
    });
    t.deepEqual(upwards.map(describe), []);
  });
}

/** What reads documents, with the names of their indexes. */
const readers = ['models', 'views', 'jobs', 'audit'];

test('where documents are not read, schemas are used only as types', (t) => {
  const values = ownImports.filter(
    ({ file, to, typeOnly }) =>
      !readers.includes(folderOf(file)) &&
      modelFolderOf(to) === 'schemas' &&
      !typeOnly &&
      to !== join('models', 'schemas', 'index.ts'),
  );
  t.deepEqual(values.map(describe), []);
});

test('only commits move a reward, by the state table', (t) => {
  const movers = serviceSources.filter(
    (file) =>
      /\brewards\b[\s\S]{0,40}\.(updateOne|updateMany|findOneAndUpdate|bulkWrite)\(/.test(
        read(file),
      ) && file !== join('models', 'rewards', 'undelivered.ts'),
  );
  t.deepEqual(movers, []);
});

test('every message goes out within its quotas', (t) => {
  const senders = serviceSources.filter(
    (file) => folderOf(file) !== 'messaging' && /\b(?:sendMessage\w*|sendBy)\(/.test(read(file)),
  );
  t.deepEqual(senders, [join('models', 'store', 'mail-quotas.ts')]);
});

/** The folders of the portal's pages, by who reads them. */
const pageFolders = ['account', 'customer', 'operator', 'partner'];
const isPage = (file: string, of = pageFolders): boolean =>
  of.some((folder) => file.startsWith(join('portal', folder, '')));

test('no page queries MongoDB: it reads views', (t) => {
  const composing = ['server.ts', 'metrics.ts'].map((file) => join('portal', file));
  const querying = serviceSources.filter(
    (file) =>
      folderOf(file) === 'portal' &&
      !composing.includes(file) &&
      !file.startsWith(join('portal', 'session', '')) &&
      /\bmodels\.\w/.test(read(file)),
  );
  t.deepEqual(querying, []);
});

test('no form converts text into a number itself: one reader reads all that people type', (t) => {
  const converting = serviceSources.filter(
    (file) => isPage(file, [...pageFolders, 'forms']) && /\bJoi\.number\(/.test(read(file)),
  );
  t.deepEqual(converting, []);
});

/** What pages take from models that reads nothing: how long, how an invoice looks, what is known of a document. */
const noReads = [
  ...['creditNoteSheet', 'invoiceKindWords', 'invoiceSheet'],
  ...['isIntroduced', 'keptOfCredential', 'viewingMs'],
];

test('no page uses a model: it reads views, and writes through operations', (t) => {
  const uses = serviceSources
    .filter((file) => isPage(file))
    .flatMap((file) => [...read(file).matchAll(/import \{([^}]*)\} from '[./]+models\/[^']*'/g)])
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .filter((name) => name !== '' && !name.startsWith('type ') && !noReads.includes(name));
  t.deepEqual(uses, []);
});

test('a partner’s page reads only for the signed-in partner', (t) => {
  const unscoped = serviceSources.filter(
    (file) => isPage(file, ['account', 'customer', 'partner']) && /\bscopeOf\(/.test(read(file)),
  );
  t.deepEqual(unscoped, []);
});

/** Parameter types that limit a read to one partner: a scope, or a filter or document with one. */
const scopedType =
  /\b(PartnerScope|ReadScope|LogFilter|PartnerDoc|CredentialDoc|EarningRule|WebhookEndpointDoc)\b/;
/** Reads that are not of one partner: a user's account, and what anyone with a link sees. */
const unscopedReads = [
  ...['readAccount', 'readNotices', 'readPartner', 'readInvitation', 'findLogo'],
  ...[
    'createReadClaim',
    'findPointsLink',
    'readCustomerPoints',
    'readCustomerReceipt',
    'readRewardBehind',
  ],
];

/** The source text of an exported function’s parameters. */
function parametersOf(file: string, name: string): string {
  const text = read(file);
  const declared = text.slice(
    text.search(new RegExp(`export (async function|function|const) ${name}\\b`)),
  );
  return declared.slice(0, declared.search(/\)(: Promise| \{\n)|: Readable/));
}

test('each read of a partner’s page takes the partner as a parameter', (t) => {
  const imported = serviceSources
    .filter((file) => /^portal.((account|customer|partner|programs).)?[\w-]+\.ts$/.test(file))
    .flatMap((file) => [
      ...read(file).matchAll(/import \{([^}]*)\} from '[./]+(views\/[\w-]+\.ts)'/g),
    ])
    .flatMap(([, names = '', view = '']) =>
      [...names.matchAll(/(?<!type )\b[a-z]\w+(?=,|\s*$)/g)].map(([name]) => ({ name, view })),
    )
    .filter(({ name }) => !/^(scopeOf$|max[A-Z])/.test(name) && !unscopedReads.includes(name));
  t.true(imported.length > 40);
  const unscoped = imported.filter(({ name, view }) => !scopedType.test(parametersOf(view, name)));
  t.deepEqual(unscoped, []);
});

test('views write nothing', (t) => {
  const write = /\.(create|save|bulkWrite|replaceOne|(insert|update|delete|findOneAnd)\w+)\(/;
  const writing = serviceSources.filter(
    (file) => folderOf(file) === 'views' && write.test(read(file)),
  );
  t.deepEqual(writing, []);
});

test('nothing imports the bare machine, which stands in for what proofs need', (t) => {
  const bare = join('prove', 'bare-machine', '');
  const incoming = sources
    .filter((file) => !file.startsWith(bare))
    .flatMap((file) => importsIn(file, read(file)))
    .filter((one) => isOurs(one) && join(dirname(one.file), one.specifier).startsWith(bare));
  t.deepEqual(incoming.map(describe), []);
});

test('every folder with source is in the map', (t) => {
  const folders = new Set(sources.filter((file) => file.includes(sep)).map(folderOf));
  const unlisted = [...folders].filter(
    (folder) => !folder.startsWith('.') && !(folder in layers) && !toolFolders.includes(folder),
  );
  t.deepEqual(unlisted, []);
});

for (const [folder, layer] of Object.entries(layers)) {
  const { folders, entry, typesFrom = [], onlyPackages, forbiddenPackages = [] } = layer;
  const imports = importsOf(folder);

  if (entry !== undefined) {
    test(`${folder}/ is imported only through ${entry}`, (t) => {
      const other = ownImports.filter(
        ({ file, to }) =>
          folderOf(to) === folder && folderOf(file) !== folder && to !== join(folder, entry),
      );
      t.deepEqual(other.map(describe), []);
    });
  }

  test(`${folder}/ contains source`, (t) => {
    t.true(sources.some((file) => folderOf(file) === folder));
  });

  test(`${folder}/ imports only ${[folder, ...folders].join(', ')} of our folders`, (t) => {
    const upwards = imports.filter(isOurs).filter((one) => {
      const target = targetOf(one);
      const allowed = target === folder || folders.includes(target);
      return !allowed && !(one.typeOnly && typesFrom.includes(target));
    });
    t.deepEqual(upwards.map(describe), []);
  });

  const packages = imports.filter((one) => !isOurs(one) && !isBuiltin(one));

  if (onlyPackages) {
    test(`${folder}/ uses no package but ${onlyPackages.join(', ')}, and nothing of Node`, (t) => {
      const others = packages.filter((one) => !onlyPackages.includes(packageOf(one)));
      t.deepEqual([...others, ...imports.filter(isBuiltin)].map(describe), []);
    });
  }

  if (forbiddenPackages.length > 0) {
    test(`${folder}/ does not use ${forbiddenPackages.join(', ')}`, (t) => {
      const used = packages.filter((one) => matches(packageOf(one), forbiddenPackages));
      t.deepEqual(used.map(describe), []);
    });
  }

  test(`${folder}/ uses only packages that a deployment installs`, (t) => {
    const { dependencies } = JSON.parse(read('package.json')) as Manifest;
    // The examples for partners import the client by its package name, as partners do.
    const installed = { ...dependencies, 'partner-events': 'clients/typescript' };
    // A plug-in is installed in a shop, with what its own manifest names.
    const plugin = JSON.parse(read('clients/medusa/package.json')) as Required<Manifest>;
    const inShop = { ...plugin.dependencies, ...plugin.peerDependencies };
    const isInstalled = (one: Import) =>
      packageOf(one) in (one.file.startsWith(join('clients', 'medusa', sep)) ? inShop : installed);
    const missing = packages.filter((one) => !one.typeOnly && !isInstalled(one));
    t.deepEqual(missing.map(describe), []);
  });
}

/** The files of the service that a file imports, optionally without type imports. */
const importedFiles = (file: string, isAtRunTime = false): string[] =>
  importsIn(file, read(file))
    .filter((one) => isOurs(one) && !(isAtRunTime && one.typeOnly))
    .map(({ specifier }) => join(dirname(file), specifier))
    .filter((imported) => sources.includes(imported));

test('no module of the workflow bundle keeps state: all workflows of a thread share it', (t) => {
  const bundled = new Set<string>(['workflows/index.ts', 'workflows/trace-header.ts']);
  for (const file of bundled) for (const next of importedFiles(file, true)) bundled.add(next);
  t.true(bundled.has('workflows/purchase.ts') && bundled.has('domain/reward.ts'));
  const state =
    /^(export )?(let|var) |^(export )?const \w+(: .+)? = (new (Map|WeakMap|WeakSet)\b|\[\];|\{\};)|^ {2}static /m;
  t.deepEqual(
    [...bundled].filter((file) => state.test(read(file))),
    [],
  );
});

test('there are no circular imports, types included', (t) => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file].join(' → '));
    if (start >= 0 || done.has(file)) return;
    for (const next of importedFiles(file)) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);
  t.deepEqual(cycles, []);
});

/** Names that two files export and each means its own: the checks of a shop's proof; a number stored, and one shown. */
const sharedNames = ['checks', 'number'];

test('a name means one thing: no two files export it', (t) => {
  // The clients stand alone, and the reference names its parts as the service names what they describe.
  const repeating = ['clients', 'reference', 'test'];
  const declaration =
    /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|interface|type|enum) (?<name>\w+)/gm;
  const exporting = new Map<string, string[]>();
  for (const file of sources.filter((one) => !repeating.includes(folderOf(one)))) {
    const names = [...read(file).matchAll(declaration)].map(({ groups }) => groups?.name ?? '');
    for (const name of new Set(names)) {
      exporting.set(name, [...(exporting.get(name) ?? []), file]);
    }
  }
  const repeated = [...exporting].filter(
    ([name, among]) => among.length > 1 && !sharedNames.includes(name),
  );
  t.deepEqual(repeated, []);
});

test('every file that a source names beside itself exists', (t) => {
  const named = /new URL\(\s*[`'](?<path>\.{0,2}[^`'$]*)[`'$][^)]*import\.meta\.url/g;
  const missing = sources.flatMap((file) =>
    [...read(file).matchAll(named)]
      .map(({ groups }) => join(dirname(file), groups?.path ?? ''))
      .filter((path) => !path.startsWith('.data') && !existsSync(join(root, path)))
      .map((path) => `${file} names ${path}`),
  );
  t.deepEqual(missing, []);
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
