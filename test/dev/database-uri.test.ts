import test from 'ava';
import { databaseUri } from '../../dev/database-uri.ts';

for (const [uri, expected] of [
  ['mongodb://127.0.0.1:27017/', 'mongodb://127.0.0.1:27017/other'],
  ['mongodb://127.0.0.1:27017', 'mongodb://127.0.0.1:27017/other'],
  ['mongodb://a:1,b:2/one?replicaSet=rs0', 'mongodb://a:1,b:2/other?replicaSet=rs0'],
  ['mongodb://u:p%2F@a:1,b:2/?w=1', 'mongodb://u:p%2F@a:1,b:2/other?w=1'],
  ['mongodb://a?directConnection=true', 'mongodb://a/other?directConnection=true'],
  ['mongodb+srv://cluster.example/one', 'mongodb+srv://cluster.example/other'],
] as const) {
  test(`another database of ${uri}`, (t) => {
    t.is(databaseUri(uri, 'other'), expected);
  });
}
