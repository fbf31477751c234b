import { once } from 'node:events';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { startOwnService } from './own-service.ts';
import type { RunningService } from './service.ts';

/**
 * `node test/helpers/run-service.ts <file>`: the service that the files of a test run share, as a separate
 * process. It writes its addresses to the file once it listens.
 */
const [file = ''] = process.argv.slice(2);
const mailFile = `${file}.mails`;
const service = await startOwnService(
  {},
  { onMessage: (mail) => appendFileSync(mailFile, `${JSON.stringify(mail)}\n`) },
);

/** Writes the API's buffers, for a test that reads the stored data. */
const flush = createServer((_request, response) => {
  service.flushed().then(
    () => response.writeHead(204).end(),
    () => response.writeHead(500).end(),
  );
}).listen(0, '127.0.0.1');
await once(flush, 'listening');

// Test processes load mostly the same code, so they use this cache.
flushCompileCache();

const running: RunningService = {
  env: service.env,
  baseUrl: service.baseUrl,
  adminUrl: service.adminUrl,
  portalUrl: await service.portalUrl(),
  flushUrl: `http://127.0.0.1:${(flush.address() as AddressInfo).port}`,
  mailFile,
};
writeFileSync(`${file}.part`, JSON.stringify(running), { mode: 0o600 });
renameSync(`${file}.part`, file);
// Its data is deleted after the run, so no orderly shutdown is needed.
process.once('SIGTERM', () => process.exit(0));
