import { packClients } from '../../portal/documents/pack-clients.ts';

/** `pack-clients.ts <folder>`: packs the clients that the portal serves. */
const [folder = 'client-packages'] = process.argv.slice(2);
await packClients(folder);
