import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { bundleWorkflows } from '../dev/bundle-workflows.ts';
import { log } from '../dev/log.ts';
import { stopAllProcesses } from '../dev/managed-process.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from '../dev/shutdown.ts';
import { startThrowawayServers } from '../dev/throwaway-servers.ts';
import { installPythonTools } from '../dev/tools/python-tools.ts';
import { scopes } from '../domain/partners.ts';
import { partnersPart } from '../http/partner-reference.ts';
import { referenceDocument } from '../reference/document.ts';
import { narrowed } from './reference/narrowed.ts';

/**
 * `npm run prove -- reference`: Schemathesis sends requests that the reference allows, and requests that it
 * forbids, to a test service, and checks every response against the reference: first the partners' and then
 * the operators'. `--cases` sets the number of requests per operation and phase; other arguments go to
 * Schemathesis. Fails on any finding.
 */
const { values, positionals } = parseArgs({
  options: { cases: { type: 'string', default: '10' }, only: { type: 'string' } },
  allowPositionals: true,
  args: process.argv.slice(2),
});
const contract = stringify(referenceDocument(), { aliasDuplicateObjects: false });
const besides = (file: string) => fileURLToPath(new URL(`reference/${file}`, import.meta.url));
/** Operations that revoke an operator's token: sent last. */
const tokens = '(?i)token|^(revokeOperator|changeRole)$';

interface Reference {
  name: string;
  /** YAML. */
  text: string;
  url: string;
  args: string[];
  env: Record<string, string>;
}

async function prove(folder: string, { name, text, url, args, env }: Reference): Promise<boolean> {
  const file = join(folder, 'openapi.yaml');
  await writeFile(file, text);
  log(`The reference of ${name}:`);
  const child = spawn(
    join(await installPythonTools(), 'schemathesis'),
    [
      ...[
        '--config-file',
        besides('schemathesis.toml'),
        'run',
        file,
        '--url',
        url,
        '--continue-on-failure',
      ],
      ...[
        '--max-examples',
        values.cases,
        '--seed',
        '1',
        '--workers',
        '1',
        '--request-timeout',
        '30',
      ],
      ...['--suppress-health-check', 'all', '--no-color', ...args, ...positionals],
    ],
    {
      cwd: folder,
      env: { ...process.env, ...env, SCHEMATHESIS_HOOKS: besides('hooks.py') },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const [code] = await once(child, 'exit');
  return code === 0;
}

async function proveAll(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'prove-reference-'));
  try {
    const { env } = await startThrowawayServers({ dataDir: folder, log });
    Object.assign(process.env, env, { WORKFLOW_BUNDLE: await bundleWorkflows() });
    // The test service reads these when it is loaded.
    const { startOwnService } = await import('../test/helpers/own-service.ts');
    const service = await startOwnService();
    const partner = await service.partner({ scopes: [...scopes] });
    const partners = partnersPart({
      apiUrl: service.baseUrl,
      portalUrl: await service.portalUrl(),
      brand: service.config.http.headerBrand,
    });
    const operators = {
      text: narrowed(contract, [
        'email',
        'website',
        'webhookUrl',
        'country',
        'operatorCurrency',
        'cursor',
      ]),
      url: new URL(service.adminUrl).origin,
      env: { SIGN: 'operator', OPERATOR_TOKEN: service.adminToken },
    };
    const references: Reference[] = [
      {
        name: 'partners',
        text: narrowed(partners, ['currency', 'refundBody', 'actionBody']),
        url: service.baseUrl,
        // A rehearsal would make the others fail on purpose; programs read from the portal.
        args: ['--exclude-operation-id-regex', '^(startRehearsal|readRequestLog|readRewards)$'],
        env: { SIGN: 'partner', PARTNER_KEY: partner.key, PARTNER_SECRET: partner.secret },
      },
      {
        name: 'operators',
        ...operators,
        args: ['--include-path-regex', '^/admin/', '--exclude-operation-id-regex', tokens],
      },
      {
        name: 'operators, tokens',
        ...operators,
        args: ['--include-path-regex', '^/admin/', '--include-operation-id-regex', tokens],
      },
    ];
    const wanted = references.filter(({ name }) => name === (values.only ?? name));
    let isProved = true;
    for (const reference of wanted) isProved = (await prove(folder, reference)) && isProved;
    await service.stop();
    return isProved ? 0 : 1;
  } finally {
    await stopAllProcesses();
    await rm(folder, { recursive: true, force: true });
  }
}

let exitCode = 1;
await runUntilShutdown(shutdownRequested(), async () => {
  exitCode = await proveAll();
});
await shutDown(exitCode);
