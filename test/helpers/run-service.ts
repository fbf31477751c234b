import { once } from 'node:events';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { flushCompileCache } from 'node:module';
import { portOf } from '../../http/listen.ts';
import { startOwnService } from './own-service.ts';
import type { RunningService } from './service.ts';

/**
 * `node test/helpers/run-service.ts <file>`: the service that the files of a test run share, as a separate
 * process. It writes the URL at which tests ask for its addresses to the file.
 */
const [file = ''] = process.argv.slice(2);
const mailFile = `${file}.mails`;
const service = await startOwnService(
  {},
  { onMessage: (mail) => appendFileSync(mailFile, `${JSON.stringify(mail)}\n`) },
);
const running: RunningService = {
  env: service.env,
  baseUrl: service.baseUrl,
  adminUrl: service.adminUrl,
  portalUrl: await service.portalUrl(),
  mailFile,
};

/** Answers with the service's addresses, and after a POST once the API's buffers are written. */
const control = createServer((request, response) => {
  const ready = request.method === 'POST' ? service.flushed() : Promise.resolve();
  ready.then(
    () => response.end(JSON.stringify(running)),
    () => response.writeHead(500).end(),
  );
}).listen(0, '127.0.0.1');
await once(control, 'listening');

// Test processes load mostly the same code, so they use this cache.
flushCompileCache();

writeFileSync(`${file}.part`, `http://127.0.0.1:${portOf(control)}/`);
renameSync(`${file}.part`, file);
// Its data is deleted after the run, so no orderly shutdown is needed.
process.once('SIGTERM', () => process.exit(0));
