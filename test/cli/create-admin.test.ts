import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { verifyPassword } from '../../platform/passwords.ts';
import { Operator } from '../api/admin/helpers/operator.ts';
import { type Service, startService } from '../helpers/service.ts';

const run = promisify(execFile);
let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

test('the first operator is created directly in the database, and the token works', async (t) => {
  const env = {
    ...process.env,
    MONGODB_URI: service.config.mongodbUri,
    MASTER_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    CUSTOMER_HASH_KEY: Buffer.alloc(32).toString('base64'),
  };
  const email = ['--email', 'Grace@operators.example'];
  const args = ['cli/create-admin.ts', '--name', 'Grace', ...email];
  const { stdout } = await run(process.execPath, args, { env });
  const token = stdout.split('\n')[1] ?? '';
  t.is((await new Operator(service, token).get('/partners')).status, 200);
  t.like((await new Operator(service, token).get('/operators/me')).body, { role: 'admin' });
  const [, operatorId] = /^(opr_\w+)/.exec(stdout) ?? [];
  const operation = await service.models.auditEntries.findOne({ targetId: operatorId ?? '' });
  t.like(operation, { actorId: 'system', action: 'operator.create', status: 'DONE' });
  t.false(JSON.stringify(operation).includes('operators.example'));
  const user = await service.models.users.findOne({ email: 'grace@operators.example' });
  t.is(user?.operatorId, operatorId);
  t.true(await verifyPassword(stdout.split('\n')[3] ?? '', user?.passwordHash ?? ''));
});
