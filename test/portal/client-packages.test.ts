import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { clientPackages } from '../../portal/documents/client-packages.ts';
import { packPhpClient, packPythonClient } from '../../portal/documents/pack-clients.ts';
import { type Service, startService } from '../helpers/service.ts';
import { unescaped } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
import { portalOf, startPortal } from './helpers/portal.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(async () => {
  await service?.stop();
});

test('the three clients have one version, and the files that it names', async (t) => {
  const names = clientPackages.map(({ name }) => name);
  t.deepEqual(names.slice(1), [packPythonClient()[0], packPhpClient()[0]]);
  const { version } = JSON.parse(
    await readFile(new URL('../../clients/typescript/package.json', import.meta.url), 'utf8'),
  );
  for (const name of names) t.true(name.includes(`-${version}`), name);
});

test('the same sources make the same packages', (t) => {
  for (const pack of [packPythonClient, packPhpClient]) t.deepEqual(pack(), pack());
});

test('the packages are files to download, each with its hash and the commands that install it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'client-packages-'));
  const [typescript] = clientPackages;
  const files = new Map([
    [typescript?.name ?? '', Buffer.from('the npm package')],
    packPythonClient(),
    packPhpClient(),
  ]);
  for (const [name, file] of files) await writeFile(join(folder, name), file);
  const { config } = service;
  const command = { ...config.command, clientPackages: folder };
  const portal = await startPortal(service, { config: { ...config, command } });
  t.teardown(async () => {
    await portal.stop();
    await rm(folder, { recursive: true });
  });
  const viewer = await partnerBrowser(portal, (await service.partner()).partnerId, 'viewer');
  const { html } = await viewer.open('/quickstarts');
  for (const { name, type, install } of clientPackages) {
    const response = await fetch(`${portal.url}/${name}`);
    t.is(response.status, 200, name);
    t.is(response.headers.get('content-type'), type);
    t.is(response.headers.get('content-disposition'), `attachment; filename="${name}"`);
    const file = Buffer.from(await response.arrayBuffer());
    t.deepEqual(file, files.get(name));
    t.true(html.includes(`href="/${name}"`));
    t.true(html.includes(`>${createHash('sha256').update(file).digest('hex')}<`));
    t.true(unescaped(html).includes(install));
  }
});

test('a portal without packages offers none', async (t) => {
  const portal = await portalOf(service);
  const viewer = await partnerBrowser(portal, (await service.partner()).partnerId, 'viewer');
  t.false((await viewer.open('/quickstarts')).html.includes('The clients'));
  for (const { name } of clientPackages) {
    t.is((await fetch(`${portal.url}/${name}`)).status, 404);
  }
});
