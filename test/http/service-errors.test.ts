import test from 'ava';
import { mongo } from 'mongoose';
import { toServiceError } from '../../http/errors.ts';

const unreachable = new mongo.MongoNetworkError('connection closed');
const noResult = {} as mongo.BulkWriteResult;

test('an unreachable server is UNAVAILABLE, also for a bulk write; anything else is INTERNAL', (t) => {
  const writesOf = (error: Error) => new mongo.MongoBulkWriteError(error, noResult);
  for (const [code, thrown] of [
    ['UNAVAILABLE', unreachable],
    ['UNAVAILABLE', writesOf(unreachable)],
    ['INTERNAL', writesOf(new Error('a fault'))],
    ['INTERNAL', new Error('a fault')],
  ] as const) {
    t.is(toServiceError(thrown).code, code, String(thrown));
  }
});
