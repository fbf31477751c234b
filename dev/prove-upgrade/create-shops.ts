import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Runs in the folder of a release and creates the shops with that release's code, so that everything stored
 * has that release's form. Prints the shops, the operator's token and the sent events as one line of JSON.
 * Its argument is the API's URL.
 */
const [baseUrl] = process.argv.slice(2);
const ofRelease = (path: string) => import(pathToFileURL(join(process.cwd(), path)).href);
const { loadConfig } = await ofRelease('platform/config.ts');
const { connectMongo } = await ofRelease('platform/mongo.ts');
const { createModels } = await ofRelease('models/schemas/index.ts');

const config = loadConfig(process.env);
const models = createModels(await connectMongo(config.mongodbUri));
const { opened, sent } = await createShopsOfRelease();
await models.connection.close();
process.stdout.write(`${JSON.stringify({ ...opened, sent })}\n`);

async function createShopsOfRelease() {
  const deps = { config, models, baseUrl };
  if (existsSync('dev/prove-crash/create-shops.ts')) {
    const { newTrafficLog } = await ofRelease('dev/prove-crash/traffic-log.ts');
    const { createShops } = await ofRelease('dev/prove-crash/create-shops.ts');
    const trafficLog = newTrafficLog();
    return { opened: await createShops({ ...deps, trafficLog }), sent: trafficLog.sent };
  }
  // Up to 0.2.0 the two files, what they export and a field of the sent events had other names.
  const { newDiary } = await ofRelease('dev/prove-crash/diary.ts');
  const { openShops } = await ofRelease('dev/prove-crash/shops.ts');
  const diary = newDiary();
  const opened = await openShops({ ...deps, diary });
  const sent = diary.sent.map(({ answer, ...event }: { answer: unknown }) => ({
    ...event,
    response: answer,
  }));
  return { opened, sent };
}
