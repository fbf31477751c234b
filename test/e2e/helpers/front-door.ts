import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect } from 'node:net';
import { eventually } from '../../helpers/eventually.ts';

/**
 * Runs Caddy with deploy/caddy/Caddyfile and servers in place of ours, where their names and ports are free. Prints what clients get as
 * JSON. Arguments: Caddy, and a folder for its data.
 */
const [caddy = '', folder = ''] = process.argv.slice(2);
const caddyfile = new URL('../../../deploy/caddy/Caddyfile', import.meta.url).pathname;
const api = 'http://api.localhost:8000';
const portal = 'http://localhost:8000';

async function start(port: number, listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function get(url: string, options: RequestInit = {}) {
  const response = await fetch(url, options);
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    type: response.headers.get('content-type'),
    otherProtocol: response.headers.get('alt-svc'),
    body: await response.text(),
  };
}

const front = spawn(caddy, ['run', '--config', caddyfile, '--adapter', 'caddyfile'], {
  env: {
    ...process.env,
    API_SITE: api,
    PORTAL_SITE: portal,
    ACME_EMAIL: 'ada@shop.example',
    ACME_DIRECTORY: 'https://acme.example.com/directory',
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  const pages = await start(3001, (_request, response) => response.end('a page'));
  const forwarded = await eventually(
    () => get(`${portal}/sign-in`).catch(() => undefined),
    'Caddy listens',
  );
  const waiting = get(`${api}/purchases`, { method: 'POST', body: '{}' });
  let received = 0;
  const working = await start(3000, (request, response) => {
    received += 1;
    response.end(JSON.stringify(request.headers));
  });
  const waited = await waiting;
  await stop(working);
  // It takes a request, and ends amid its response.
  const dying = await start(3000, (request) => {
    received += 1;
    request.socket.destroy();
  });
  const cutOff = await get(`${api}/purchases`, { method: 'POST', body: '{}' });
  await stop(dying);
  const without = await get(`${api}/purchases`);
  const admin = connect(2019, '127.0.0.1');
  const isAdminOpen = await new Promise((resolve) => {
    admin.on('connect', () => resolve(true)).on('error', () => resolve(false));
  });
  admin.destroy();
  await stop(pages);
  const result = { forwarded, waited, received, cutOff, without, isAdminOpen };
  process.stdout.write(JSON.stringify(result));
} finally {
  front.kill();
}
