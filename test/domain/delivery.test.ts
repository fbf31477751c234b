import test from 'ava';
import { claimUrlOf } from '../../domain/purchase.ts';

test('a claim link is the portal’s address with the token in the path', (t) => {
  t.is(claimUrlOf('https://rewards.example', 'abc'), 'https://rewards.example/claim/abc');
});
