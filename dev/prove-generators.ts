import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { partnersPart } from '../http/partner-reference.ts';
import { log } from './log.ts';
import { installNodeTools } from './tools/node-tools.ts';
import { installPythonTools } from './tools/python-tools.ts';

/**
 * `npm run prove:generators`: checks that client generators read the public reference without an error and
 * give every field a type, and that their output compiles. Needs Java and Maven.
 */
const run = promisify(execFile);
const generator = 'org.openapitools:openapi-generator-cli:7.12.0';
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

const folder = await mkdtemp(join(tmpdir(), 'generators-'));
const reference = join(folder, 'openapi.yaml');
const at = (...parts: string[]): string => join(folder, ...parts);
await writeFile(reference, partnersPart('https://rewards.example'));

/** Throws if a program's output reports an error. */
async function quietly(program: string, args: string[], cwd = folder, path = ''): Promise<void> {
  const env = { ...process.env, PATH: [path, process.env.PATH].join(delimiter) };
  const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 };
  const { stdout, stderr } = await run(program, args, options);
  const wrong = (stdout + stderr).split('\n').filter((line) => /\bERROR\b|Warning\(s\)/.test(line));
  if (wrong.length > 0) throw new Error(`${program}:\n${wrong.join('\n')}`);
}

/** Code that a partner would write with generated types: it compiles if they match the reference. */
async function compileTypeScript(file: string, request: string): Promise<void> {
  const sample = `const request: ${request} = {
  externalOrderId: 'A1', customer: { email: 'a@b.co' }, order: { subtotalCents: 4990 },
  metadata: { till: 7 },
};
const email: string | undefined = request.customer.email;
// @ts-expect-error: a phone number is a text
const wrong: ${request} = { ...request, customer: { phone: 1 } };
export { email, wrong };
`;
  await writeFile(at('sample.ts'), `import type * as types from './${file}';\n${sample}`);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
  const from = [
    '--allowImportingTsExtensions',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom,dom.iterable',
  ];
  await run(process.execPath, [tsc, '--ignoreConfig', ...options, ...from, at('sample.ts')], {
    cwd: folder,
  });
}

/** Mypy is not run: it reports errors in the generator's code for every reference. */
const samplePython = `
from python.models import Error, PurchaseRequest
request = {"externalOrderId": "A1", "customer": {"email": "a@b.co"}, "order": {"subtotalCents": 4990}, "metadata": {"till": 7}}
assert PurchaseRequest.from_dict(request).to_dict() == request
refusal = {"error": {"code": "VALIDATION_FAILED", "message": "m"}}
assert Error.from_dict(refusal).to_dict() == refusal
`;

const proofs: Record<string, () => Promise<void>> = {
  async 'openapi-typescript'() {
    await quietly(join(await installNodeTools(), 'openapi-typescript'), [
      reference,
      '-o',
      at('types.ts'),
    ]);
    await compileTypeScript('types.ts', `types.components['schemas']['PurchaseRequest']`);
  },
  async 'hey-api'() {
    const tool = join(await installNodeTools(), 'openapi-ts');
    await quietly(tool, ['-i', reference, '-o', at('hey'), '--no-log-file']);
    const types = await readFile(at('hey', 'types.gen.ts'), 'utf8');
    // Metadata can be anything; so can the data of an event of unknown type, and of one that has none.
    const unknown = types.split('\n').filter((line) => /\bunknown\b/.test(line));
    if (unknown.length > 3) throw new Error(`fields without a type:\n${unknown.join('\n')}`);
    await compileTypeScript('hey/types.gen.ts', 'types.PurchaseRequest');
  },
  async 'openapi-python-client'() {
    const bin = await installPythonTools();
    const args = ['generate', '--path', reference, '--meta', 'none', '--output-path', at('python')];
    await quietly(join(bin, 'openapi-python-client'), args, folder, bin);
    await run(join(bin, 'python'), ['-m', 'compileall', '-q', at('python')]);
    await run(join(bin, 'python'), ['-c', samplePython], { cwd: folder });
  },
  async 'OpenAPI Generator, Java'() {
    await run('mvn', [
      '-q',
      '-B',
      'dependency:copy',
      `-Dartifact=${generator}`,
      `-DoutputDirectory=${folder}`,
    ]);
    const jar = at(`${generator.split(':').slice(1).join('-')}.jar`);
    const properties = '--additional-properties=openApiNullable=false,hideGenerationTimestamp=true';
    const how = ['-g', 'java', '--library', 'native', '-o', at('java'), properties];
    await quietly('java', ['-jar', jar, 'generate', '-i', reference, ...how]);
    await run('mvn', ['-q', '-B', 'compile'], { cwd: at('java') });
  },
};

let failed = 0;
for (const [name, prove] of Object.entries(proofs)) {
  try {
    await prove();
    log(`✔ ${name}`);
  } catch (error) {
    failed += 1;
    const { stdout = '', message } = error as Error & { stdout?: string };
    log(`✘ ${name}\n${message}\n${stdout}`);
  }
}
await rm(folder, { recursive: true, force: true });
log(`${Object.keys(proofs).length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
