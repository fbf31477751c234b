import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import mongoose from 'mongoose';
import getRawBody from 'raw-body';
import {
  canonicalString,
  headerNames,
  verifySignature,
} from '../../clients/typescript/signature.ts';
import { newId } from '../../platform/ids.ts';
import { answerParent } from './child.ts';

export interface FloorQuestion {
  mongodbUri: string;
  secret: string;
}

type Document = Record<string, unknown> & { _id: string };

/** The paths of the floor server. */
export const floorPaths = {
  /** Koa, the signature, one indexed read, one insert: the floor of a purchase or refund. */
  insert: '/insert',
  /** Koa, the signature, one indexed read, one update: the floor of a claim. */
  update: '/update',
} as const;

const poolSize = 50;
const durably = { writeConcern: { w: 'majority', journal: true } } as const;
const names = headerNames();

if (import.meta.main) answerParent<FloorQuestion, number>(serve);

/**
 * Starts the least that could take a purchase: it reads and writes copies of a real event, in a collection
 * of its own with the same indexes.
 * @returns its port
 * @throws Error if there is no purchase to copy
 */
async function serve({ mongodbUri, secret }: FloorQuestion): Promise<number> {
  const events = await openEvents(mongodbUri);
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
    await events.find(ctx.get('Idempotency-Key'));
    if (ctx.path === floorPaths.insert) await events.insert();
    else await events.update();
    ctx.status = 201;
    ctx.type = 'application/json';
    ctx.body = events.answer;
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function openEvents(mongodbUri: string) {
  const { MongoClient } = mongoose.mongo;
  const db = (await MongoClient.connect(mongodbUri, { maxPoolSize: poolSize })).db();
  const real = db.collection<Document>('order_events');
  const events = db.collection<Document>('floor_events');
  for (const { key, v: _, ...options } of await real.indexes()) {
    if (options.name !== '_id_') await events.createIndex(key, options);
  }
  const pattern = await real.findOne({ type: 'PURCHASE' });
  if (!pattern) throw new Error('the floor needs one purchase as a template');
  const { partnerId, credentialId, type } = pattern;
  const inserted: string[] = [];
  let updated = 0;
  return {
    answer: String(pattern.answer),
    find: (idempotencyKeyHash: string) =>
      events.findOne({ partnerId, credentialId, type, idempotencyKeyHash }),
    async insert(): Promise<void> {
      const _id = newId('event');
      inserted.push(_id);
      const own = { _id, externalOrderId: _id, idempotencyKeyHash: _id, rewardId: _id };
      const copy = { ...pattern, ...own, purchaseEventId: _id, workflowId: _id };
      await events.insertOne(copy, durably);
    },
    /** Updates the documents inserted here, one after the other. */
    async update(): Promise<void> {
      const _id = inserted[updated++ % inserted.length] ?? '';
      await events.updateOne({ _id }, { $set: { requestId: newId('request') } }, durably);
    },
  };
}
