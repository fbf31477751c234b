import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Run in the folder of a release: makes the shops as that release does, so that all that is stored of them
 * is of its form, and writes them, the operator's token and what they sent as one line of JSON.
 * Its argument is the API's address.
 */
const [baseUrl] = process.argv.slice(2);
const ofRelease = (path: string) => import(pathToFileURL(join(process.cwd(), path)).href);
const { loadConfig } = await ofRelease('platform/config.ts');
const { connectMongo } = await ofRelease('platform/mongo.ts');
const { createModels } = await ofRelease('models/schemas/index.ts');
const { newDiary } = await ofRelease('dev/prove-crash/diary.ts');
const { openShops } = await ofRelease('dev/prove-crash/shops.ts');

const config = loadConfig(process.env);
const models = createModels(await connectMongo(config.mongodbUri));
const diary = newDiary();
const opened = await openShops({ config, models, baseUrl, diary });
await models.connection.close();
process.stdout.write(`${JSON.stringify({ ...opened, sent: diary.sent })}\n`);
