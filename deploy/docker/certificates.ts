import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CertificateExtension, generate } from 'selfsigned';

/**
 * `certificates.ts <server folder> <client folder>`: what Temporal and its clients know each other by, made where it is
 * not there yet. Each side has an authority of its own, whose key is not kept: nobody can be let in later. To make them
 * anew, remove both volumes.
 */
const years = 10;
/** The name by which the clients call the server. */
const serverName = 'temporal';

const usual = { keyType: 'ec', algorithm: 'sha256' } as const;
const until = new Date();
until.setUTCFullYear(until.getUTCFullYear() + years);
const name = (value: string) => [{ name: 'commonName', value }];

async function authority(of: string) {
  const extensions: CertificateExtension[] = [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ];
  const made = await generate(name(of), { ...usual, notAfterDate: until, extensions });
  return { key: made.private, cert: made.cert };
}

async function certificate(of: string, ca: { key: string; cert: string }, isServer: boolean) {
  const extensions: CertificateExtension[] = [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, critical: true },
    // Parts of the server are each other's clients.
    { name: 'extKeyUsage', clientAuth: true, serverAuth: isServer },
    { name: 'subjectAltName', altNames: [{ type: 2, value: of }] },
  ];
  return await generate(name(of), { ...usual, notAfterDate: until, extensions, ca });
}

/** All of a folder's files, or none: who finds the last of them finds the others. */
function write(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    // Who runs in a container that the volume is mounted in may read it, whatever user that is.
    writeFileSync(join(folder, `${file}.part`), text, { mode: 0o444 });
    renameSync(join(folder, `${file}.part`), join(folder, file));
  }
}

const [serverFolder, clientFolder] = process.argv.slice(2);
if (!serverFolder || !clientFolder) throw new Error('usage: certificates.ts <server> <client>');
const last = join(clientFolder, 'client.key');
if (existsSync(last)) {
  process.stdout.write('The certificates are there.\n');
} else {
  for (const folder of [serverFolder, clientFolder]) {
    for (const file of ['ca.pem', 'clients-ca.pem', 'server.pem', 'server.key', 'client.pem']) {
      rmSync(join(folder, file), { force: true });
    }
  }
  const [servers, clients] = [
    await authority('Temporal servers'),
    await authority('Temporal clients'),
  ];
  const server = await certificate(serverName, servers, true);
  const client = await certificate('partner-purchase-events', clients, false);
  write(serverFolder, {
    'ca.pem': servers.cert,
    'clients-ca.pem': clients.cert,
    'server.pem': server.cert,
    'server.key': server.private,
  });
  write(clientFolder, {
    'ca.pem': servers.cert,
    'client.pem': client.cert,
    'client.key': client.private,
  });
  process.stdout.write(`The certificates are made, for ${years} years.\n`);
}
