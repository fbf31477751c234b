import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startProcess } from '../../dev/managed-process.ts';
import { answers, choosePort } from '../../dev/servers/ports.ts';
import { installDebian } from '../../dev/tools/debian.ts';
import { eventually } from '../medusa/eventually.ts';

/** The database and the shop run as this user, who owns nothing else. Debian's packages create it. */
const user = 'www-data';
const execute = promisify(execFile);
const graceMs = 10_000;
const packages = [
  ...['php-cli', 'php-mysql', 'php-curl', 'php-mbstring', 'php-xml', 'mariadb-server'],
];
const scripts = fileURLToPath(new URL('wordpress/', import.meta.url));

export type WordPress = Awaited<ReturnType<typeof startWordPress>>;

/**
 * A copy of WordPress with WooCommerce on a database of its own, reached on this machine alone. Its site is in New York.
 * @param from the folder that is copied
 */
export async function startWordPress(from: string, log: (line: string) => void) {
  await installDebian(
    packages,
    () => existsSync('/usr/sbin/mariadbd') && existsSync('/etc/php/8.2/mods-available/mysqli.ini'),
  );
  const folder = await mkdtemp(join(tmpdir(), 'prove-woocommerce-shop-'));
  const [site, data, socket] = ['site', 'data', 'socket'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const kept = ['wp-admin', 'wp-includes', 'wp-content/plugins/woocommerce'];
  for (const part of kept) await cp(join(from, part), join(site, part), { recursive: true });
  const files = execFileSync('find', [from, '-maxdepth', '1', '-name', '*.php'], {
    encoding: 'utf8',
  });
  for (const file of files.trim().split('\n')) {
    if (!file.endsWith('wp-config.php')) await cp(file, join(site, file.slice(from.length)));
  }
  await cp(scripts, site, { recursive: true });
  const theme = join(site, 'wp-content/themes/none');
  await mkdir(theme, { recursive: true });
  await writeFile(join(theme, 'style.css'), '/*\nTheme Name: none\n*/');
  await writeFile(join(theme, 'index.php'), '<?php');
  execFileSync('chown', ['-R', `${user}:${user}`, folder]);
  const as = ['--reuid', user, '--regid', user, '--init-groups'];
  // What is asked for may come back to this process, which must be able to answer meanwhile.
  const run = async (command: string, args: string[], env: NodeJS.ProcessEnv = {}) => {
    const own = { cwd: folder, env: { PATH: process.env.PATH, ...env } };
    return (await execute('setpriv', [...as, command, ...args], own)).stdout;
  };
  const start = (command: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
    startProcess({
      command: 'setpriv',
      args: [...as, command, ...args],
      env: { PATH: process.env.PATH, ...env },
      cwd: folder,
      graceMs,
      logFile: join(folder, `${command}.log`),
    });
  const noDefaults = '--no-defaults';
  await run('mariadb-install-db', [
    ...[noDefaults, `--datadir=${data}`, '--auth-root-authentication-method=normal'],
  ]);
  await start('mariadbd', [
    noDefaults,
    `--datadir=${data}`,
    `--socket=${socket}`,
    '--skip-networking',
  ]);
  const sql = (text: string) =>
    run('mariadb', [noDefaults, '-S', socket, '-u', 'root', '-e', text]);
  await eventually('MariaDB answers', async () => {
    await sql('SELECT 1');
    return true;
  });
  await sql(
    "CREATE DATABASE shop; CREATE USER shop@localhost IDENTIFIED BY 'shop'; GRANT ALL ON shop.* TO shop@localhost",
  );
  const port = await choosePort(
    { variable: 'SHOP_PORT', what: 'WordPress', preferredPort: 0 },
    {},
    log,
  );
  const env = { SHOP_PORT: String(port), SHOP_SOCKET: socket };
  const php = (script: string, ...args: string[]) =>
    run('php', ['-d', 'memory_limit=512M', join(site, script), ...args], env);
  await php('prove-install.php', 'wordpress');
  await php('prove-install.php', 'woocommerce');
  await start('php', ['-S', `127.0.0.1:${port}`, '-t', site, join(site, 'prove-router.php')], env);
  await eventually('WordPress answers', () => answers(port));
  return {
    host: `127.0.0.1:${port}`,

    /** What its owner and its customers do. @returns what the script printed */
    async drive<T>(what: string, input: Record<string, unknown> = {}): Promise<T> {
      return JSON.parse(await php('prove-drive.php', what, JSON.stringify(input))) as T;
    },

    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
