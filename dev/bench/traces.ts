import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { log } from '../log.ts';
import { stopAllProcesses } from '../managed-process.ts';
import { cpuMsOf, sell } from './load/purchases.ts';
import { setUpLoad } from './load/setup.ts';

/**
 * `npm run bench:traces`: the CPU time per purchase of the API and the worker, in milliseconds, without
 * traces, with one in a hundred, and with all of them, in alternation. Only prints.
 */
const rounds = 3;
const sale = { mode: 'TEST', concurrency: 8 } as const;

const collector = createServer((request, response) => {
  request.resume().on('end', () => response.end('{}'));
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const settings = {
  'no traces': { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_SAMPLER: '' },
  'one in a hundred': {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  },
  'all traces': { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: '' },
};

const dataDir = await mkdtemp(join(tmpdir(), 'bench-traces-'));
const setup = await setUpLoad(dataDir, log);
const spent = Object.keys(settings).map((name) => ({ name, API: 0, worker: 0 }));
for (let round = 1; round <= rounds; round++) {
  for (const [place, [name, changes]] of Object.entries(settings).entries()) {
    await setup.service.restartBoth(changes);
    await sell(setup, { ...sale, name: 'warming up', atMost: 100 });
    const sold = await sell(setup, { ...sale, name: `${name}, round ${round}`, atMost: 400 });
    const row = spent[place];
    if (!row) continue;
    row.API += (cpuMsOf(sold, 'API') ?? 0) / rounds;
    row.worker += (cpuMsOf(sold, 'worker') ?? 0) / rounds;
  }
}
for (const { name, API, worker } of spent) {
  log(`${name}: API ${API.toFixed(2)}, worker ${worker.toFixed(2)} ms of CPU time per purchase`);
}
await setup.close();
await stopAllProcesses();
collector.close();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
