import { packClients } from '../portal/documents/pack-clients.ts';

/** `npm run make -- client-packages <folder>`: the three packages that the portal serves, for `CLIENT_PACKAGES`. */
const [folder = '.data/client-packages'] = process.argv.slice(2);
await packClients(folder);
