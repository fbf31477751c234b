import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';

const root = new URL('../../', import.meta.url);
const all = [
  ...['mongodb', 'mongodb-2', 'mongodb-3', 'mongodb-users', 'mongodb-members', 'postgresql'],
  ...['temporal-schema', 'temporal', 'temporal-ui', 'migrate', 'caddy'],
  ...['api', 'api-2', 'portal', 'worker', 'worker-2'],
];

/**
 * Stands in for Docker: notes each command in `commands`, and what it is given in `given`. A file in `states` has the state of a
 * service that is not well, and `failing` a pattern of commands that fail.
 */
const standIn = `#!/bin/bash
echo "$*" >> "$STAND_IN/commands"
if [ -e "$STAND_IN/failing" ] && [[ "$*" =~ $(cat "$STAND_IN/failing") ]]; then echo 'it failed' >&2; exit 1; fi
if [ -e "$STAND_IN/failing-once" ] && [[ "$*" =~ $(cat "$STAND_IN/failing-once") ]]; then
  rm "$STAND_IN/failing-once"; exit 1
fi
case "$*" in
  'compose version --short') cat "$STAND_IN/version" ;;
  'compose config --services') printf '%s\\n' ${all.join(' ')} ;;
  'compose ps --all --quiet '*) echo "\${@: -1}" ;;
  inspect*)
    service="\${@: -1}"
    if [ -e "$STAND_IN/states/$service" ]; then cat "$STAND_IN/states/$service"
    else case "$service" in migrate | *-users | *-members | *-schema) echo 'exited 0' ;; *) echo healthy ;; esac; fi ;;
  *'--force-recreate mongodb'*) cat secrets/mongodb_key >> "$STAND_IN/keys"; echo >> "$STAND_IN/keys" ;;
  *mongodump*) cat > /dev/null; echo archive ;;
  *mongorestore* | *changeUserPassword*) cat > "$STAND_IN/restored" ;;
  *pg_dump*) echo dump ;;
  *pg_restore*) cat > /dev/null ;;
  *'compose cp worker:/data/audit '*) mkdir -p "\${@: -1}"; cp "$STAND_IN/volume/"* "\${@: -1}/" ;;
  *'worker node -e'*) grep -h 'customer erased' "$STAND_IN/volume/"* || true ;;
  *'cli/erase-again.ts --check'*) ${process.execPath} ${new URL('cli/erase-again.ts', root).pathname} --check ;;
  *'cli/erase-again.ts'*) cat > "$STAND_IN/erased" ;;
  *'cli/audit.ts --log -') cat > "$STAND_IN/compared" ;;
  *'cli/master-key.ts'*) echo "new:key,$(cat secrets/master_keys)" ;;
esac
`;

const line = (customerId: string) =>
  JSON.stringify({
    msg: 'customer erased',
    partnerId: 'prt_1',
    customerId,
    reference: 'letter 1',
    erasedAt: '2026-05-01T12:00:00.000Z',
  });

/** A folder with ctl as in a checkout that was set up. */
async function checkout(t: ExecutionContext) {
  const folder = await mkdtemp(join(throwawayFolder(), 'ctl-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const at = (...path: string[]) => join(folder, ...path);
  for (const made of ['bin', 'states', 'volume', 'secrets']) await mkdir(at(made));
  await cp(new URL('deploy/compose', root), at('deploy/compose'), { recursive: true });
  await cp(new URL('docker-compose.yml', root), at('docker-compose.yml'));
  await writeFile(at('bin/docker'), standIn, { mode: 0o755 });
  await writeFile(at('version'), '2.40.3\n');
  await writeFile(at('.env'), 'DOMAIN=localhost\nMONGODB_HOSTS=mongodb:27017\n');
  await writeFile(at('volume/audit.log'), `${line('cus_here')}\n`);
  const secrets = {
    mongodb_root_password: 'root-1',
    mongodb_key: 'key-1',
    mongodb_uri_api: 'mongodb://api:old@mongodb:27017/partner_events?replicaSet=rs0',
    postgres_password: 'postgres-1',
    master_keys: 'old:key',
    customer_hash_key: 'hash-1',
    smtp_url: 'none',
  };
  for (const [name, value] of Object.entries(secrets)) await writeFile(at('secrets', name), value);

  const read = (...path: string[]) => readFile(at(...path), 'utf8').catch(() => '');
  return {
    at,
    read,
    /** Runs ctl. @returns its exit code, its output, and the commands that it gave to Docker */
    async ctl(args: string[], { input = '' } = {}) {
      await writeFile(at('commands'), '');
      const env = { PATH: `${at('bin')}:${process.env.PATH}`, STAND_IN: folder, NO_BUILD: 'yes' };
      const child = spawn(at('deploy/compose/ctl'), args, { env });
      child.stdin.end(input);
      const output = Promise.all([text(child.stdout), text(child.stderr)]);
      const [code] = await once(child, 'close');
      const commands = (await read('commands')).trim().split('\n');
      return { code, output: (await output).join(''), commands };
    },
  };
}

const changes = (commands: readonly string[]) =>
  commands.filter((one) => / (stop|up) |mongorestore|dropdb/.test(one));

test('an older Compose is refused before anything is done', async (t) => {
  const { at, ctl } = await checkout(t);
  for (const version of ['2.26.1', 'v2.9.1', '2.29.2']) {
    await writeFile(at('version'), `${version}\n`);
    const { code, commands } = await ctl(['upgrade']);
    t.is(code, 1, version);
    t.deepEqual(commands, ['compose version --short'], version);
  }
  for (const version of ['2.29.3', 'v2.40.3-desktop.1', '5.0.0']) {
    await writeFile(at('version'), `${version}\n`);
    t.is((await ctl(['audit'])).code, 0, version);
  }
});

test('an upgrade starts each service without what it depends on, so that nothing is recreated needlessly', async (t) => {
  const { ctl } = await checkout(t);
  const { code, commands, output } = await ctl(['upgrade']);
  t.is(code, 0, output);
  const started = commands.filter((one) => one.startsWith('compose up'));
  for (const one of started) t.regex(one, /--no-deps/, one);
  for (const name of all.filter((one) => !/migrate|-members/.test(one))) {
    t.true(
      started.some((one) => one.split(' ').includes(name)),
      name,
    );
  }
  const at = (pattern: RegExp) => commands.findIndex((one) => pattern.test(one));
  t.true(at(/mongodb-users/) < at(/run .* migrate/));
  t.true(at(/run .* migrate/) < at(/up .* worker$/));
  t.true(at(/up .* worker-2$/) < at(/up .* api$/));
});

test('status fails unless everything is there', async (t) => {
  const { at, ctl } = await checkout(t);
  t.is((await ctl(['status'])).code, 0);
  await writeFile(at('failing'), 'statusz');
  t.is((await ctl(['status'])).code, 1);
  await writeFile(at('failing'), 'nothing');
  await writeFile(at('states/api'), 'unhealthy');
  const other = await ctl(['status']);
  t.is(other.code, 0);
  t.regex(other.commands.at(-1) ?? '', /exec -T api-2 /);
  await writeFile(at('states/api-2'), 'exited 1');
  const none = await ctl(['status']);
  t.is(none.code, 1);
  t.regex(none.output, /not ok/);
});

test('the audit log is compared as backup.md says: that of this machine, and on a new one that of a backup', async (t) => {
  const { read, ctl } = await checkout(t);
  const page = await readFile(new URL('docs/operate/backup.md', root), 'utf8');
  const commands = [...page.matchAll(/`ctl (audit --log[^`]*)`/g)].map(([, args = '']) => args);
  t.deepEqual(commands, ['audit --log', 'audit --log FOLDER/audit/*']);
  await ctl(['backup', 'kept/one']);
  const here = await ctl(['audit', '--log']);
  t.is(here.code, 0, here.output);
  t.regex(here.commands.at(-1) ?? '', / worker node cli\/audit\.ts --log \/data\/audit$/);
  const elsewhere = await ctl(['audit', '--log', 'kept/one/audit/audit.log']);
  t.is(elsewhere.code, 0, elsewhere.output);
  t.is(await read('compared'), await read('volume/audit.log'));
});

test('a backup has both databases and the audit log, is taken by any member, and is noted', async (t) => {
  const { at, read, ctl } = await checkout(t);
  await writeFile(at('states/mongodb'), 'exited 137');
  const { code, commands, output } = await ctl(['backup', 'kept/one']);
  t.is(code, 0, output);
  t.true(commands.some((one) => /exec -T mongodb-2 .*mongodump/s.test(one)));
  t.true(commands.some((one) => one.includes('cli/note-backup.ts')));
  t.deepEqual((await readdir(at('kept/one'))).toSorted(), [
    ...['audit', 'checksums', 'mongodb.archive.gz', 'temporal.dump', 'temporal_visibility.dump'],
  ]);
  t.is(await read('kept/one/audit/audit.log'), await read('volume/audit.log'));
  t.is((await read('kept/one/checksums')).trim().split('\n').length, 4);
  t.is((await ctl(['backup', 'kept/one'])).code, 1, 'it is not overwritten');
});

test('a backup that fails leaves no folder, and is not noted', async (t) => {
  for (const failing of ['mongodump', 'pg_dump.*visibility', 'compose cp']) {
    const { at, ctl } = await checkout(t);
    await writeFile(at('failing'), failing);
    const { code, commands } = await ctl(['backup', 'kept/one']);
    t.is(code, 1, failing);
    t.deepEqual(await readdir(at('kept')), [], failing);
    t.false(commands.some((one) => one.includes('note-backup')));
  }
});

test('a restore erases again by the audit log, by the backup’s, and by a log as Compose prints it', async (t) => {
  const { at, read, ctl } = await checkout(t);
  await ctl(['backup', 'kept/one']);
  await writeFile(at('volume/audit.log'), `${line('cus_since')}\n`);
  await writeFile(at('api.log'), `api-1  | ${line('cus_logged')}\napi-1  | {"msg":"other"}\n`);
  const { code, commands, output } = await ctl(['restore', '--yes', 'kept/one', 'api.log']);
  t.is(code, 0, output);
  const erased = await read('erased');
  for (const customer of ['cus_here', 'cus_since', 'cus_logged']) t.true(erased.includes(customer));
  const at_ = (pattern: RegExp) => commands.findIndex((one) => pattern.test(one));
  t.true(at_(/erase-again.ts --check/) < at_(/compose stop/));
  t.true(at_(/mongodump/) < at_(/mongorestore/), 'what was there is kept');
  t.true(at_(/compose stop/) < at_(/mongorestore/));
  t.true(at_(/mongorestore/) < at_(/erase-again.ts$/));
  t.is(commands.at(-1), 'compose up -d --no-build');
});

test('a restore that cannot succeed, or is not wanted, changes nothing', async (t) => {
  const { at, ctl } = await checkout(t);
  await ctl(['backup', 'kept/one']);
  const refused = async (args: string[], says: RegExp) => {
    const { code, commands, output } = await ctl(['restore', ...args]);
    t.is(code, 1, output);
    t.regex(output, says);
    t.deepEqual(changes(commands), [], args.join(' '));
  };
  await refused(['--yes', 'kept/two'], /has no mongodb\.archive\.gz/);
  await refused(['--yes', 'kept/one', 'missing.log'], /missing\.log cannot be read/);
  await refused(['kept/one'], /Add --yes/);
  await writeFile(at('broken.log'), `api-1  | ${line('cus_1').slice(0, 60)}\n`);
  await refused(['--yes', 'kept/one', 'broken.log'], /not from the log/);
  await cp(at('kept/one'), at('kept/spoilt'), { recursive: true });
  await writeFile(at('kept/spoilt/temporal.dump'), 'dum\n');
  await refused(['--yes', 'kept/spoilt'], /not as it was written/);
  await rm(at('kept/spoilt/checksums'));
  await refused(['--yes', 'kept/spoilt'], /has no checksums/);
});

test('after a restore that fails, what was there before returns and the service runs', async (t) => {
  const { at, ctl } = await checkout(t);
  await ctl(['backup', 'kept/one']);
  await writeFile(at('failing-once'), 'exec -T postgresql pg_restore -U temporal -d temporal$');
  const { code, commands, output } = await ctl(['restore', '--yes', 'kept/one']);
  t.is(code, 1);
  t.regex(output, /What was there before returns/);
  t.is(commands.filter((one) => /mongorestore/.test(one)).length, 2);
  t.is(commands.at(-1), 'compose up -d --no-build');
});

test('a MongoDB password is replaced by a second user, and the first one goes when nobody needs it', async (t) => {
  const { read, ctl } = await checkout(t);
  const rotated = async () => {
    const { code, commands, output } = await ctl(['rotate', 'mongodb_uri_api']);
    t.is(code, 0, output);
    return commands.filter((one) => /mongodb-users|compose up/.test(one));
  };
  const up = 'compose up -d --no-build --no-deps --force-recreate';
  const steps = [
    'compose run --rm --no-deps -T mongodb-users',
    `${up} api`,
    `${up} api-2`,
    'compose run --rm --no-deps -T -e MONGODB_DROP=api mongodb-users',
  ];
  t.deepEqual(await rotated(), steps);
  const first = await read('secrets/mongodb_uri_api');
  t.regex(first, /^mongodb:\/\/api\.2:[0-9a-f]{48}@mongodb:27017\/partner_events\?replicaSet=rs0$/);
  t.deepEqual(await rotated(), steps);
  const second = await read('secrets/mongodb_uri_api');
  t.regex(second, /^mongodb:\/\/api:[0-9a-f]{48}@/);
});

test('PostgreSQL knows a password before Temporal uses it', async (t) => {
  const { read, ctl } = await checkout(t);
  const { code, commands } = await ctl(['rotate', 'postgres_password']);
  t.is(code, 0);
  const at = (pattern: RegExp) => commands.findIndex((one) => pattern.test(one));
  t.true(at(/psql/) >= 0 && at(/psql/) < at(/force-recreate temporal$/));
  t.regex(await read('secrets/postgres_password'), /^[0-9a-f]{48}$/);
});

test('a secret stays as it was if its server refuses the new one', async (t) => {
  const { at, read, ctl } = await checkout(t);
  for (const [name, failing] of [
    ['postgres_password', 'psql'],
    ['mongodb_root_password', 'changeUserPassword'],
  ] as const) {
    const before = await read('secrets', name);
    await writeFile(at('failing'), failing);
    t.is((await ctl(['rotate', name])).code, 1, name);
    t.is(await read('secrets', name), before, name);
  }
});

test('members of the replica set accept both keys while they change, one after the other', async (t) => {
  const { at, read, ctl } = await checkout(t);
  // A rotation was cut off: every member has the first.
  await writeFile(at('secrets/mongodb_key'), '- key-1\n- half');
  const { code, commands } = await ctl(['rotate', 'mongodb_key']);
  t.is(code, 0);
  t.regex(await read('keys'), /^(- key-1\n- [0-9a-f]{256}\n){3}(- [0-9a-f]{256}\n){3}$/);
  const restarted = commands.flatMap((one) => /recreate (mongodb\S*)$/.exec(one)?.[1] ?? []);
  const members = ['mongodb', 'mongodb-2', 'mongodb-3'];
  t.deepEqual(restarted, [...members, ...members]);
  t.regex(await read('secrets/mongodb_key'), /^[0-9a-f]{256}$/);
});

test('a master key is known everywhere before one process seals with it', async (t) => {
  const { read, ctl } = await checkout(t);
  const { code, commands } = await ctl(['rotate', 'master_keys']);
  t.is(code, 0);
  t.is(await read('secrets/master_keys'), 'new:key,old:key');
  const replaced = commands.filter((one) => one.includes('--force-recreate'));
  t.is(replaced.length, 10, 'each process twice');
});

test('what others make is read, what cannot change is refused, and what does not exist, too', async (t) => {
  const { read, ctl } = await checkout(t);
  const given = await ctl(['rotate', 'smtp_url'], { input: 'smtps://mail.example.com\n' });
  t.is(given.code, 0, given.output);
  t.is(await read('secrets/smtp_url'), 'smtps://mail.example.com');
  t.is((await ctl(['rotate', 'smtp_url'], { input: '\n' })).code, 1);
  t.is((await ctl(['rotate', 'customer_hash_key'])).code, 1);
  t.is(await read('secrets/customer_hash_key'), 'hash-1');
  t.is((await ctl(['rotate', 'anything'])).code, 1);
});
