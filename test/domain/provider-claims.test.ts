import test from 'ava';
import { claimsOf, isIncomplete, readIdentity } from '../../domain/provider-claims.ts';

const email = 'Ann@Shop.example';
const sub = 'one';

/** What each provider says, in its usual set-up, and what is read of it. */
const providers = {
  'Keycloak, with full group paths': {
    claims: { sub, email, email_verified: true, groups: ['/desk', '/shop/owners'] },
    groups: ['/desk', 'desk', '/shop/owners'],
  },
  'Okta, with a groups claim': {
    claims: { sub, email, email_verified: true, groups: ['Everyone', 'desk'] },
    groups: ['Everyone', 'desk'],
  },
  'Google, without groups': {
    claims: { sub, email, email_verified: true, hd: 'shop.example' },
    groups: [],
  },
  'Auth0, where a rule makes groups text': {
    claims: { sub, email, email_verified: 'true', groups: 'desk, owners' },
    groups: ['desk', 'owners'],
  },
  'Entra, with the claim for verified domains': {
    claims: { sub, email, xms_edov: '1', groups: ['8b1f0c5e-0000-4000-8000-000000000001'] },
    groups: ['8b1f0c5e-0000-4000-8000-000000000001'],
  },
  'a provider that makes a list text': {
    claims: { sub, email, email_verified: 'True', groups: '["desk"]' },
    groups: ['desk'],
  },
};

for (const [provider, { claims, groups }] of Object.entries(providers)) {
  test(`the claims of ${provider}, are read`, (t) => {
    t.deepEqual(readIdentity(claims, false), { email: 'ann@shop.example', groups });
  });
}

test('Entra without any claim about the address needs the setting that it verifies them', (t) => {
  const claims = { sub, email, groups: ['desk'] };
  t.throws(() => readIdentity(claims, false), { message: /set OIDC_VERIFIES_EMAILS=on/ });
  t.deepEqual(readIdentity(claims, true), { email: 'ann@shop.example', groups: ['desk'] });
});

test('an address that the provider says it has not verified never counts', (t) => {
  for (const claims of [
    ...[false, 'false', 'no', '', 0, null, {}].map((email_verified) => ({ email_verified })),
    { xms_edov: false },
    { email_verified: true, xms_edov: '0' },
  ]) {
    for (const setting of [true, false]) {
      t.throws(
        () => readIdentity({ sub, email, ...claims }, setting),
        { message: /has not verified/ },
        JSON.stringify(claims),
      );
    }
  }
  t.throws(() => readIdentity({ sub, email_verified: true }, true), { message: /no email/ });
});

test('what the ID token lacks is asked for at the userinfo endpoint', (t) => {
  t.false(isIncomplete({ sub, email, email_verified: false, groups: [] }, true));
  t.false(isIncomplete({ sub, email, xms_edov: true }, false));
  for (const claims of [{ sub }, { email }, { email_verified: true }]) {
    t.true(isIncomplete(claims, false));
  }
  t.true(isIncomplete({ email, email_verified: true }, true));
});

test('the userinfo endpoint adds to the ID token, and verifies no other address than its own', (t) => {
  const other = 'bob@shop.example';
  const read = (idToken: object, userinfo: object) =>
    readIdentity(claimsOf({ sub, ...idToken }, { sub, ...userinfo }), false);
  const ann = { email: 'ann@shop.example', groups: ['desk'] };
  t.deepEqual(read({}, { email, email_verified: true, groups: ['desk'] }), ann);
  t.deepEqual(read({ email, groups: ['desk'] }, { email, email_verified: true, groups: [] }), ann);
  t.throws(() => read({ email }, { email: other, email_verified: true }), { message: /absent/ });
  t.throws(() => read({ email }, { email_verified: true }), { message: /absent/ });
  t.throws(() => read({ email_verified: true }, { email, email_verified: false }), {
    message: /has not verified/,
  });
  t.throws(() => read({ email, email_verified: false }, { email, email_verified: true }), {
    message: /has not verified/,
  });
});
