import test from 'ava';
import { isMail, type Mail, type Message } from '../../messaging/message.ts';
import {
  revokeOperatorToken,
  revokeOwnToken,
  rotateOwnToken,
} from '../../operations/operator-tokens.ts';
import { changeRole, createOperator, revokeOperator } from '../../operations/operators.ts';
import { operate } from '../helpers/operate.ts';
import { takeDatabase } from '../helpers/test-database.ts';

test('an operator is emailed about each change of their role and tokens, even if the mail server fails', async (t) => {
  const database = await takeDatabase();
  t.teardown(() => database.giveBack());
  const { models } = database;
  const mails: Mail[] = [];
  const logged: unknown[] = [];
  let isAway = false;
  const deps = {
    models,
    now: Date.now,
    log: { error: (...line: unknown[]) => logged.push(line) },
    config: { admin: { tokenDays: 90 }, portal: { url: 'https://portal.example' } },
    async sendMessage(message: Message) {
      if (isAway) throw new Error('the mail server is down');
      if (isMail(message)) mails.push(message);
    },
  } as never;
  const email = 'ann@operators.example';
  const fields = { name: 'Ann', role: 'viewer' as const, email };
  const { _id: operatorId } = await operate(deps, createOperator, fields, { as: 'opr_other' });
  const told = (what: RegExp) => {
    const mail = mails.pop();
    t.is(mail?.to, email);
    t.regex(mail?.text ?? '', what);
    t.is(mails.length, 0);
  };
  const newToken = async () =>
    (await operate(deps, rotateOwnToken, {}, { as: operatorId })).tokenId;

  await operate(deps, changeRole, { operatorId, role: 'support' }, { as: 'opr_other' });
  told(/Your role as an operator is now support/);
  await operate(deps, changeRole, { operatorId, role: 'support' }, { as: 'opr_other' });
  t.is(mails.length, 0, 'an unchanged role is not announced');
  const first = await newToken();
  told(new RegExp(`${first} was created`));
  await operate(deps, revokeOperatorToken, { operatorId, tokenId: first }, { as: 'opr_other' });
  told(new RegExp(`${first} was revoked by another operator`));
  const second = await newToken();
  told(new RegExp(`${second} was created`));
  await operate(deps, revokeOwnToken, { tokenId: second }, { as: operatorId });
  told(new RegExp(`${second} was revoked`));

  isAway = true;
  await operate(deps, changeRole, { operatorId, role: 'viewer' }, { as: 'opr_other' });
  t.is((await models.operators.findById(operatorId))?.role, 'viewer');
  t.is(logged.length, 1);
  isAway = false;
  await operate(deps, revokeOperator, { operatorId }, { as: 'opr_other' });
  told(/You are no longer an operator/);
});
