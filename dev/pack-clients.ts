import { cachedFolder } from './cached-bundle.ts';

/** Packs the clients. @returns the folder, for `CLIENT_PACKAGES` */
export const cachedClientPackages = (): Promise<string> =>
  cachedFolder(
    'client-packages',
    ['clients/typescript', 'clients/python', 'clients/php', 'portal/documents/pack-clients.ts'],
    async (folder) => (await import('../portal/documents/pack-clients.ts')).packClients(folder),
  );
