import test from 'ava';
import { claimUrlOf } from '../../domain/delivery.ts';

test('a claim link is the portal’s own address, with the token in its path', (t) => {
  t.is(claimUrlOf('https://rewards.example', 'abc'), 'https://rewards.example/claim/abc');
});
