// Receives webhooks, with Node and the client's package.
//   export WEBHOOK_SECRET=whsec_… PORT=8080
//   node receiver.ts
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, WebhookVerificationError } from 'partner-events';

const { WEBHOOK_SECRET = '', PORT = '8080' } = process.env;
const maxBytes = 64 * 1024;
/** In your shop, use a table with a unique index, written in the same transaction as the event's changes. */
const seen = new Set<string>();

/** The bytes as received: re-serialized JSON would have another signature. */
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
    // A webhook may arrive twice: ignore the second.
    if (!seen.has(id)) {
      seen.add(id);
      // Only store it here, and process it after the response, which must be sent within seconds.
      process.stdout.write(`received ${event.type} ${id}\n`);
    }
    response.writeHead(204).end();
  } catch (error) {
    const isRefused = error instanceof WebhookVerificationError;
    // After a 500, the webhook is sent again.
    response.writeHead(isRefused ? 400 : 500).end(isRefused ? error.code : '');
  }
});
server.listen(Number(PORT), () => {
  process.stdout.write(`listening on port ${(server.address() as AddressInfo).port}\n`);
});
