import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import getRawBody from 'raw-body';
import {
  canonicalString,
  headerNames,
  verifySignature,
} from '../../../clients/typescript/signature.ts';
import { answerParent } from './child.ts';
import { openFloorEvents } from './floor-events.ts';
import { floorPaths } from './work.ts';

export interface ServerQuestion {
  mongodbUri: string;
  secret: string;
  /** The response body, as long as the service's. */
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
    const key = ctx.get('Idempotency-Key');
    if (ctx.path === floorPaths.insert) {
      await events.find(key);
      await events.insert();
    } else if (ctx.path === floorPaths.refund) {
      await events.find(key);
      await events.find(`order ${key}`);
      await events.insert();
      await events.insert();
    } else if (ctx.path === floorPaths.claim) {
      await events.find(key);
      await events.change(key);
    }
    ctx.status = 201;
    ctx.type = 'application/json';
    ctx.body = answer;
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
});
