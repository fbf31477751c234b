import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Runs in a release's folder and creates the shops, and two users who read pages, with that release's code,
 * so that everything is stored in that release's form. Prints the shops, the readers, the operator's token,
 * the sent events and the partners with webhook endpoints as one line of JSON. Arguments: the API's URL and
 * the URL for webhooks.
 */
const [baseUrl, hookUrl] = process.argv.slice(2);
const ofRelease = (path: string) => import(pathToFileURL(join(process.cwd(), path)).href);
const { loadConfig } = await ofRelease('platform/config.ts');
const { connectMongo } = await ofRelease('platform/mongo.ts');
const { createModels } = await ofRelease('models/schemas/index.ts');

const config = loadConfig(process.env);
const models = createModels(await connectMongo(config.mongodbUri));
const created = await createShopsOfRelease();
await models.connection.close();
process.stdout.write(`${JSON.stringify(created)}\n`);

async function createShopsOfRelease() {
  const deps = { config, models, baseUrl, hookUrl };
  const partnerOf = (shops: { partnerId: string }[]) => shops[0]?.partnerId ?? '';
  if (existsSync('dev/prove-crash/create-shops.ts')) {
    const { newTrafficLog } = await ofRelease('dev/prove-crash/traffic-log.ts');
    const { createShops } = await ofRelease('dev/prove-crash/create-shops.ts');
    const { signInReaders } = await ofRelease('dev/prove-failover/page-reads.ts');
    const trafficLog = newTrafficLog();
    const created = await createShops({ ...deps, trafficLog });
    const readers = await signInReaders(config, models, partnerOf(created.shops));
    const { sent, webhooks } = trafficLog;
    return { ...created, readers, sent, endpoints: webhooks.endpoints };
  }
  // Up to 0.2.0 the files, their exports and a field of the sent events had other names, and there were no
  // readers.
  const { newDiary } = await ofRelease('dev/prove-crash/diary.ts');
  const { openShops } = await ofRelease('dev/prove-crash/shops.ts');
  const { signInReaders } = await import('../prove-failover/page-reads.ts');
  const diary = newDiary();
  const opened = await openShops({ ...deps, diary });
  const readers = await signInReaders(config, models, partnerOf(opened.shops));
  const sent = diary.sent.map(({ answer, ...event }: { answer: unknown }) => ({
    ...event,
    response: answer,
  }));
  return { ...opened, readers, sent, endpoints: diary.told.endpoints };
}
