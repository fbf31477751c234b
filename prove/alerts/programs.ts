import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildOnce, goIn, goProgram } from '../../dev/tools/go.ts';

/** Prometheus and Alertmanager in the versions of docker-compose.yml, built once. @returns their files @throws Error without Go */
export async function buildPrograms(): Promise<{ prometheus: string; alertmanager: string }> {
  return {
    prometheus: await ofPrometheus('prometheus', 'remove_all_sd'),
    alertmanager: await buildAlertmanager(`v${await versionOf('alertmanager')}`),
  };
}

/** Prometheus' own program for tests of rules. @returns its file @throws Error without Go */
export const buildPromtool = (): Promise<string> =>
  ofPrometheus('promtool', 'remove_all_sd,enable_dns_sd');

/** @param tags leave out its ways to discover targets elsewhere */
async function ofPrometheus(name: string, tags: string): Promise<string> {
  // Its module counts 3.13.5 as 0.313.5.
  const version = (await versionOf('prometheus')).replace(/^3\.(\d+)\./, 'v0.3$1.');
  const from = { module: 'github.com/prometheus/prometheus', program: `cmd/${name}` };
  return await goProgram(name, { ...from, version, tags });
}

/** In docker-compose.yml. */
async function versionOf(name: string): Promise<string> {
  const compose = await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  return new RegExp(`image: prom/${name}:v(\\S+)`).exec(compose)?.[1] ?? '';
}

/** Its module lacks the pages, which it embeds. */
async function buildAlertmanager(version: string): Promise<string> {
  const what = `github.com/prometheus/alertmanager@${version}`;
  const folder = await buildOnce('alertmanager', what, async (go, into) => {
    const { Dir } = JSON.parse(await go('mod', 'download', '-json', what));
    const source = join(into, 'source');
    await rm(source, { recursive: true, force: true });
    await cp(Dir, source, { recursive: true });
    for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755);
    }
    await chmod(source, 0o755);
    const pages = join(source, 'ui/app/dist');
    await mkdir(pages, { recursive: true });
    await writeFile(join(pages, 'index.html'), '');
    const build = ['build', '-mod=mod', '-o', join(into, 'alertmanager'), './cmd/alertmanager'];
    await goIn(pathToFileURL(`${source}/`), build);
  });
  return join(folder, 'alertmanager');
}
