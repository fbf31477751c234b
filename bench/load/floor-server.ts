import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import getRawBody from 'raw-body';
import { canonicalString, headerNames, verifySignature } from '../../partner-sdk/signature.ts';
import { answerParent } from './child.ts';
import { openFloorEvents } from './floor-events.ts';
import { floorPaths } from './work.ts';

export interface ServerQuestion {
  mongodbUri: string;
  secret: string;
  /** What it answers, so that an answer is as long as the service's. */
  answer: string;
}

const poolSize = 50;
const names = headerNames();

answerParent<ServerQuestion, number>(async ({ mongodbUri, secret, answer }) => {
  const events = await openFloorEvents(mongodbUri, poolSize);
  const app = new Koa();
  app.use(async (ctx) => {
    const body = await getRawBody(ctx.req);
    const canonical = canonicalString({
      method: ctx.method,
      pathname: ctx.path,
      timestamp: ctx.get(names.timestamp),
      body,
    });
    const signature = ctx.get(names.signature);
    if (verifySignature({ secrets: [secret], signature, canonical }) !== 0) ctx.throw(401);
    if (ctx.path === floorPaths.insert) {
      await events.find(ctx.get('Idempotency-Key'));
      await events.insert();
    }
    ctx.status = 201;
    ctx.type = 'application/json';
    ctx.body = answer;
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
});
