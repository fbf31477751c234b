// Receives webhooks, with Node and the client's package.
//   export WEBHOOK_SECRET=whsec_… PORT=8080
//   node receiver.ts
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, WebhookVerificationError } from 'partner-events';

const { WEBHOOK_SECRET = '', PORT = '8080' } = process.env;
const maxBytes = 64 * 1024;
/** In your shop a table with a unique index, written in one transaction with what the event changes. */
const seen = new Set<string>();

/** The bytes as they arrived: what was parsed and written again has another signature. */
async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const server = createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(await read(request), request.headers, WEBHOOK_SECRET);
    const id = String(request.headers['webhook-id']);
    // It may come twice: the second time there is nothing left to do.
    if (!seen.has(id)) {
      seen.add(id);
      // Only note it here, and work on it after the answer, which is waited for only for seconds.
      process.stdout.write(`received ${event.type} ${id}\n`);
    }
    response.writeHead(204).end();
  } catch (error) {
    const isRefused = error instanceof WebhookVerificationError;
    // After a 500 it comes again.
    response.writeHead(isRefused ? 400 : 500).end(isRefused ? error.code : '');
  }
});
server.listen(Number(PORT), () => {
  process.stdout.write(`listening on port ${(server.address() as AddressInfo).port}\n`);
});
