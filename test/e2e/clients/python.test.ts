import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { makeSynchronousClient } from '../../../dev/make-python-client.ts';
import { installPythonTools } from '../../../dev/tools/python-tools.ts';
import { packPythonClient } from '../../../portal/documents/pack-clients.ts';
import { conformance } from '../../clients/conformance/suite.ts';

/** Runs the conformance suite against the Python wheel's synchronous and asynchronous clients. */
const run = promisify(execFile);
const clients = fileURLToPath(new URL('../../../clients/', import.meta.url));
const directory = await mkdtemp(join(tmpdir(), 'python-client-'));
test.after.always(() => rm(directory, { recursive: true, force: true }));

/** Builds the sdist and the wheel, and installs the wheel that the portal serves into a separate folder. */
async function build() {
  const bin = await installPythonTools();
  const python = join(bin, 'python');
  const dist = join(directory, 'dist');
  await run(python, ['-m', 'build', '--no-isolation', '--outdir', dist, join(clients, 'python')]);
  const built = (await readdir(dist)).toSorted();
  const [name, file] = packPythonClient();
  const served = join(directory, name);
  await writeFile(served, file);
  const site = join(directory, 'site');
  await run(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', site, served]);
  return { python, site, dist, built, served };
}

const packed = build();

test('the wheel and the sdist are built, and their types pass mypy and ruff', async (t) => {
  t.timeout(20 * 60_000);
  const { python, site, built } = await packed;
  t.deepEqual(built, ['partner_events-0.1.0-py3-none-any.whl', 'partner_events-0.1.0.tar.gz']);
  t.true((await readdir(join(site, 'partner_events'))).includes('py.typed'));
  const at = { cwd: join(clients, 'python') };
  await t.notThrowsAsync(run(python, ['-m', 'mypy', 'src', '--cache-dir', directory], at));
  await t.notThrowsAsync(run(python, ['-m', 'ruff', 'check', '--no-cache', '.'], at));
});

test('the wheel that the portal serves is the one that the build makes', async (t) => {
  const { python, dist, built, served } = await packed;
  const list = `import re, sys, zipfile
for path in sys.argv[1:]:
    with zipfile.ZipFile(path) as wheel:
        assert wheel.testzip() is None
        names = (name for name in sorted(wheel.namelist()) if not name.endswith(("WHEEL", "RECORD")))
        print({name: re.sub(b"^Metadata-Version: .*", b"", wheel.read(name)) for name in names})`;
  const wheel = join(dist, built.find((file) => file.endsWith('.whl')) ?? '');
  const { stdout } = await run(python, ['-c', list, wheel, served], { maxBuffer: 4_000_000 });
  const [ofBuild, ofPortal] = stdout.trim().split('\n');
  t.is(ofPortal, ofBuild);
});

test('the asynchronous client works in one event loop after another', async (t) => {
  const { python, site } = await packed;
  const script = `import asyncio, http.server, threading
from partner_events import AsyncClient

class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # It keeps the connection open for the next request.
    def do_GET(self):
        body = b'{"success": true, "plans": []}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
threading.Thread(target=service.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{service.server_port}"
client = AsyncClient(base_url=url, key="pk_test_1", secret="sk_test_1", max_attempts=1)

async def twice():
    return [(await client.plans()).body["plans"] for _ in range(2)]

async def last():
    async with client:
        return await twice()

print(asyncio.run(twice()), asyncio.run(twice()), asyncio.run(last()))`;
  const { stdout } = await run(python, ['-c', script], { env: { PYTHONPATH: site } });
  t.is(stdout, '[[], []] [[], []] [[], []]\n');
});

test('the synchronous client is made from the asynchronous one', async (t) => {
  await makeSynchronousClient(`${directory}/`);
  const read = (folder: string) => readFile(join(folder, 'client.py'), 'utf8');
  t.is(
    await read(directory),
    await read(join(clients, 'python/src/partner_events/_sync')),
    'npm run make -- python-client',
  );
});

for (const kind of ['sync', 'async']) {
  conformance(test, `Python, ${kind}`, async () => {
    const { python, site } = await packed;
    const driver = join(clients, 'conformance/drivers/python.py');
    return {
      command: python,
      args: ['-B', driver, kind],
      env: { ...process.env, PYTHONPATH: site },
    };
  });
}
