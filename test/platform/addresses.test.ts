import { isIP } from 'node:net';
import test from 'ava';
import fc from 'fast-check';
import { callerOf, clientAddressOf, networkOf } from '../../platform/addresses.ts';

test('without a proxy, X-Forwarded-For is ignored', (t) => {
  t.is(clientAddressOf('192.0.2.1', '203.0.113.9', 0), '192.0.2.1');
});

test('behind proxies, the entry written by the outermost proxy counts, not the caller’s', (t) => {
  const header = '6.6.6.6, 203.0.113.9, 10.0.0.1';
  t.is(clientAddressOf('10.0.0.2', header, 1), '10.0.0.1');
  t.is(clientAddressOf('10.0.0.2', header, 2), '203.0.113.9');
  t.is(clientAddressOf('10.0.0.2', '2001:db8::7', 1), '2001:db8::7');
});

test('an entry with a port, quotes, brackets or a zone is the address in it', (t) => {
  for (const [entry, address] of [
    ['203.0.113.9:80', '203.0.113.9'],
    ['"203.0.113.9:80"', '203.0.113.9'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['"[2001:db8::7]:443"', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[::ffff:192.0.2.1]:80', '192.0.2.1'],
  ] as const) {
    t.is(clientAddressOf('10.0.0.2', entry, 1), address, entry);
  }
});

test('with a missing or invalid address, the peer counts', (t) => {
  for (const header of [
    undefined,
    '',
    'unknown',
    '203.0.113.9:x',
    '203.0.113.999',
    '[a]:1',
    'a,,',
  ]) {
    t.is(clientAddressOf('10.0.0.2', header, 1), '10.0.0.2', header);
  }
  t.is(clientAddressOf('10.0.0.2', '203.0.113.9', 2), '10.0.0.2');
});

test('an IPv4 address mapped to IPv6 is treated as the IPv4 address', (t) => {
  t.is(clientAddressOf('::ffff:192.0.2.1', undefined, 0), '192.0.2.1');
  t.is(clientAddressOf('::1', '::FFFF:192.0.2.1', 1), '192.0.2.1');
});

test('IPv4 callers count by address, IPv6 callers by /64, in any notation', (t) => {
  t.is(callerOf('192.0.2.1'), '192.0.2.1');
  for (const written of [
    '2001:db8:0:1::',
    '2001:DB8::1:0:0:0:1',
    '2001:0db8:0000:0001:ffff:ffff:ffff:ffff',
    '2001:db8:0:1::192.0.2.1',
    '2001:db8:0:1::1%eth0',
  ]) {
    t.is(callerOf(written), '2001:db8:0:1::/64', written);
  }
  t.is(callerOf('::1'), '0:0:0:0::/64');
  t.not(callerOf('2001:db8:0:2::1'), callerOf('2001:db8:0:1::1'));
});

test('a shortened address is its network', (t) => {
  t.is(networkOf('192.0.2.77'), '192.0.2.0/24');
  t.is(networkOf('2001:db8:5:1::9'), '2001:db8:5::/48');
});

test('every IPv6 address is reduced to four groups', (t) => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      fc.pre(isIP(address) === 6);
      t.regex(callerOf(address), /^([0-9a-f]{1,4}:){4}:\/64$/);
    }),
  );
});
