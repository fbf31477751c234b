import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { ConfigError, loadConfig, secretVariables, variables } from '../../platform/config.ts';
import { formatMasterKey } from '../../platform/master-keys.ts';

const key = Buffer.alloc(32, 7).toString('base64');

/** The required variables. */
const valid = {
  MONGODB_URI: 'mongodb://127.0.0.1:27017/',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  MASTER_KEYS: `k1:${key}`,
  CUSTOMER_HASH_KEY: key,
};

test('four variables are enough; the rest have defaults', (t) => {
  const config = loadConfig(valid);
  t.is(config.http.port, 3000);
  t.deepEqual([config.admin.host, config.admin.port], ['127.0.0.1', 3002]);
  t.true(config.approvals.isOn);
  t.deepEqual(config.portal, {
    host: '127.0.0.1',
    port: 3001,
    trustedProxies: 0,
    url: 'http://localhost:3001',
    apiUrl: 'http://127.0.0.1:3000',
  });
  t.is(config.http.headerBrand, 'Partner');
  t.is(config.temporal.taskQueue, 'purchases');
  t.is(config.reviewDueMs, 72 * 3_600_000);
  t.is(config.issuer, null);
});

for (const name of Object.keys(valid)) {
  test(`${name} is required, and named when missing or empty`, (t) => {
    for (const value of [undefined, '']) {
      const error = t.throws(() => loadConfig({ ...valid, [name]: value }), {
        instanceOf: ConfigError,
      });
      t.regex(error.message, new RegExp(`"${name}" is required`));
    }
  });
}

/** Any existing file: the driver opens it only when it connects. */
const aFile = encodeURIComponent(fileURLToPath(import.meta.url));

for (const [what, uri] of Object.entries({
  'one host': 'mongodb://127.0.0.1:27017/rewards',
  'several hosts of a replica set': 'mongodb://a:27017,b:27017,c:27018/rewards?replicaSet=rs0',
  'a host with SRV records': 'mongodb+srv://cluster.example/rewards',
  'a username and a password': 'mongodb://shop:p%40ss@a:27017,b:27017/rewards?authSource=admin',
  'TLS, with a CA and a certificate in files': `mongodb://a/?tls=true&tlsCAFile=${aFile}&tlsCertificateKeyFile=${aFile}`,
  'a socket': 'mongodb://%2Ftmp%2Fmongodb.sock/rewards',
})) {
  test(`MONGODB_URI can contain ${what}`, (t) => {
    t.is(loadConfig({ ...valid, MONGODB_URI: uri }).mongodbUri, uri);
  });
}

for (const [what, uri, problem] of [
  ['another scheme', 'postgres://db', /expected connection string to start with "mongodb:\/\/"/],
  ['no host', 'mongodb://', /host list are required/],
  ['an invalid port', 'mongodb://a:99999/', /a:99999/],
  [
    'several hosts with SRV records',
    'mongodb+srv://a.example,b.example/',
    /multiple service names/,
  ],
  ['an unknown option', 'mongodb://a/?nonsense=1', /option nonsense is not supported/],
  ['TLS both on and off', 'mongodb://a/?tls=true&ssl=false', /tls\/ssl must be the same/],
  [
    'TLS options that exclude each other',
    'mongodb://a/?tlsInsecure=true&tlsAllowInvalidCertificates=true',
    /cannot be used with the 'tlsAllowInvalidCertificates'/,
  ],
  [
    'a CA file that does not exist',
    'mongodb://a/?tls=true&tlsCAFile=%2Fnowhere%2Fca.pem',
    /tlsCAFile names \/nowhere\/ca\.pem, which cannot be read/,
  ],
  ['an option without a value', 'mongodb://a/?replicaSet=', /replicaSet/],
  [
    'a password with an unencoded special character',
    'mongodb://shop:p@ss@a/',
    /not a valid MongoDB URI/,
  ],
] as const) {
  test(`MONGODB_URI with ${what} is refused, with the driver’s message`, (t) => {
    const refused = () => loadConfig({ ...valid, MONGODB_URI: uri });
    const { message } = t.throws(refused, { instanceOf: ConfigError });
    t.regex(message, /"MONGODB_URI" is not a valid MongoDB URI/);
    t.regex(message, problem);
    t.false(message.includes('p@ss'), 'the message does not repeat the password');
  });
}

const wrong: Record<string, string> = {
  MONGODB_URI: 'postgres://db',
  TEMPORAL_UI_URL: 'ui',
  TEMPORAL_TLS: 'maybe',
  PORT: '70000',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'no pair',
  TRUST_PROXY: 'sometimes',
  HEADER_BRAND: 'two words',
  ADMIN_PORT: '70000',
  PORTAL_PORT: '70000',
  PORTAL_URL: 'portal.example',
  PORTAL_API_URL: 'api',
  FOUR_EYES: 'maybe',
  WEBHOOK_ALLOW_LOOPBACK: 'maybe',
  FOUR_EYES_REDEMPTION_CENTS: '-1',
  FOUR_EYES_REVIEW_CENTS: '-1',
  RESPONSE_TIMEOUT_MS: '1',
  ADDRESS_RATE_LIMIT_PER_MINUTE: '0',
  METRICS_PORT: '70000',
  MASTER_KEYS: 'k1:tooshort',
  CUSTOMER_HASH_KEY: 'tooshort',
  REQUEST_LOG_RETENTION_DAYS: '7',
  CONTACT_RETENTION_DAYS: '0',
  // Invalid without INVOICE_ISSUER_NAME.
  INVOICE_ISSUER_ADDRESS: 'Example Street 1',
  INVOICE_ISSUER_TAX_ID: 'DE1',
  INVOICE_PAYMENT_DETAILS: 'IBAN',
  INVOICE_VAT: 'DE nineteen',
  SMTP_URL: 'http://mail',
  LOG_LEVEL: 'loud',
};

for (const [name, value] of Object.entries(wrong)) {
  test(`an invalid ${name} is named at start`, (t) => {
    const error = t.throws(() => loadConfig({ ...valid, [name]: value }), {
      instanceOf: ConfigError,
    });
    t.regex(error.message, new RegExp(`"${name}"`));
  });
}

test('every invalid variable is named at once, without repeating a secret', (t) => {
  const secret = 'not-a-key-but-still-secret';
  const error = t.throws(() => loadConfig({ ...valid, PORT: 'x', MASTER_KEYS: secret }));
  t.regex(error.message, /"PORT"/);
  t.regex(error.message, /"MASTER_KEYS"/);
  t.notRegex(error.message, new RegExp(secret));
});

test('no message repeats a value, whatever is wrong with it', (t) => {
  const canary = 'Tr0ub4dor';
  for (const [name, { values }] of Object.entries(variables)) {
    for (const value of [
      canary,
      `${canary}\n${canary}`,
      `${key}${canary}`,
      `http://${canary}@x y`,
    ]) {
      const { message } = t.throws(
        () => {
          loadConfig({ ...valid, [name]: value });
          throw new ConfigError('it is accepted');
        },
        { instanceOf: ConfigError },
        name,
      );
      t.false(message.includes(canary), `${name} (${values}): ${message}`);
    }
  }
  for (const uri of [
    `mongodb://shop:${canary}/x@a/`,
    `mongodb://shop:a/${canary}@a/`,
    `mongodb://shop:${canary}%zz@a/`,
    `mongodb://shop:?${canary}@a/`,
  ]) {
    const { message } = t.throws(() => loadConfig({ ...valid, MONGODB_URI: uri }));
    t.false(message.includes(canary), message);
  }
});

test('what editors add to a value is not part of it, and a line break within a secret is refused by name', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'config-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'key');
  const { CUSTOMER_HASH_KEY: _, ...others } = valid;
  const expected = loadConfig(valid).customerHashKey.export();
  for (const written of [`${key}\n`, `${key}\r\n\r\n`, `\u{feff}${key}\n\n`]) {
    await writeFile(file, written);
    for (const env of [
      { ...others, CUSTOMER_HASH_KEY_FILE: file },
      { ...others, CUSTOMER_HASH_KEY: written },
    ]) {
      t.deepEqual(loadConfig(env).customerHashKey.export(), expected);
    }
  }
  for (const torn of [`${key}\n${key}`, `\n${key}`]) {
    const error = t.throws(() => loadConfig({ ...valid, CUSTOMER_HASH_KEY: torn }));
    t.regex(error?.message ?? '', /"CUSTOMER_HASH_KEY" has a line break within it/);
    t.false(error?.message.includes(key));
  }
});

test('the portal’s address has no path', (t) => {
  for (const url of [
    'https://points.example',
    'https://points.example/',
    'http://localhost:3001',
  ]) {
    t.is(loadConfig({ ...valid, PORTAL_URL: url }).portal.url, url.replace(/\/$/, ''));
  }
  for (const url of ['https://a.example/portal', 'https://a.example/?a', 'https://u:p@a.example']) {
    t.throws(() => loadConfig({ ...valid, PORTAL_URL: url }), {
      message: /"PORTAL_URL" must be an address without a path/,
    });
  }
});

test('a master key’s id must be unique, and the error repeats neither key', (t) => {
  const other = Buffer.alloc(32, 8).toString('base64');
  const error = t.throws(() => loadConfig({ ...valid, MASTER_KEYS: `k1:${key},k1:${other}` }), {
    instanceOf: ConfigError,
  });
  t.regex(error.message, /"MASTER_KEYS".* its own id/);
  t.false(error.message.includes(other));
});

test('the first master key encrypts, and every listed one decrypts', (t) => {
  const other = Buffer.alloc(32, 8);
  const config = loadConfig({
    ...valid,
    MASTER_KEYS: `new:${other.toString('base64')},old:${key}`,
  });
  t.deepEqual(config.masterKeys.map(formatMasterKey), [
    `new:${other.toString('base64')}`,
    `old:${key}`,
  ]);
});

test('traces are not exported by default, and otherwise sent with the configured headers', (t) => {
  t.deepEqual(loadConfig(valid).tracing, { endpoint: undefined, headers: {} });
  const { tracing } = loadConfig({
    ...valid,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a%20b, x-other=c=d',
  });
  t.deepEqual(tracing, {
    endpoint: 'http://collector:4318',
    headers: { 'x-api-key': 'a b', 'x-other': 'c=d' },
  });
});

const atProvider = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'portal' };

test('without passwords, there must be a provider, reached by https', (t) => {
  const refused = (changed: Record<string, string>) =>
    t.throws(() => loadConfig({ ...valid, ...changed }), { instanceOf: ConfigError }).message;
  const whole = { ...atProvider, OIDC_CLIENT_SECRET: 'a client secret' };
  t.is(loadConfig(valid).oidc, null);
  t.false(loadConfig({ ...valid, ...whole, PASSWORD_SIGN_IN: 'off' }).hasPasswords);
  t.like(loadConfig({ ...valid, ...whole, OIDC_GROUPS: 'admins=admin' }).oidc, {
    groups: [{ group: 'admins', partnerId: null, role: 'admin' }],
    signInMs: 12 * 3_600_000,
  });
  t.regex(refused({ ...whole, OIDC_SIGN_IN_HOURS: '0' }), /OIDC_SIGN_IN_HOURS/);
  t.regex(refused({ PASSWORD_SIGN_IN: 'off' }), /needs OIDC_ISSUER/);
  t.regex(refused({ ...whole, OIDC_ISSUER: 'http://id.example' }), /https/);
  t.regex(refused({ ...whole, OIDC_GROUPS: 'admins=root' }), /"OIDC_GROUPS" must be pairs/);
  t.regex(refused(atProvider), /OIDC_CLIENT_SECRET/);
});

test('each secret can be in a file, but not in both places; a missing file is named', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const values: Record<string, string> = {
    ...valid,
    TEMPORAL_API_KEY: 'an-api-key',
    SMTP_URL: 'smtp://user:pass@mail.example',
    SMS_URL: 'https://user:pass@sms.example',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=secret',
    WEBHOOK_PROXY_URL: 'http://user:pass@proxy.example',
    OIDC_CLIENT_SECRET: 'a client secret',
    VAULT_TOKEN: 'hvs.token',
    OPERATOR_WEBHOOK_URL: 'https://chat.example/hooks/token',
    OPERATOR_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    ...atProvider,
  };
  const env: Record<string, string> = {
    TEMPORAL_ADDRESS: valid.TEMPORAL_ADDRESS,
    ...atProvider,
  };
  for (const name of secretVariables) {
    env[`${name}_FILE`] = join(folder, name);
    await writeFile(join(folder, name), `${values[name]}\n`);
  }
  const { temporal, ...rest } = loadConfig(env);
  const { files } = temporal;
  t.is(files.apiKey, join(folder, 'TEMPORAL_API_KEY'));
  const same = { ...temporal, files: { ...files, apiKey: undefined } };
  t.deepEqual({ ...rest, temporal: same }, loadConfig(values));

  const refused = (changed: Record<string, string>) =>
    t.throws(() => loadConfig({ ...env, ...changed }), { instanceOf: ConfigError }).message;
  t.is(refused({ SMTP_URL: 'smtp://mail' }), 'Give either SMTP_URL or SMTP_URL_FILE, not both.');
  t.is(
    refused({ MASTER_KEYS_FILE: '/nowhere/keys' }),
    'MASTER_KEYS_FILE names /nowhere/keys, which cannot be read (ENOENT).',
  );
  // Treated as unset, it would silently send emails to the message folder.
  const emptied = join(folder, 'emptied');
  await writeFile(emptied, '\n');
  t.is(refused({ SMTP_URL_FILE: emptied }), `SMTP_URL_FILE names ${emptied}, which is empty.`);
  await writeFile(emptied, 'none\n');
  t.is(loadConfig({ ...env, SMTP_URL_FILE: emptied }).mail.smtpUrl, undefined);
  const page = await readFile(
    new URL('../../docs/operate/configuration.md', import.meta.url),
    'utf8',
  );
  for (const name of secretVariables) t.regex(page, new RegExp(`A secret[^|]*${name}`));
});
