import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { buildOnce, goProgram } from '../../dev/tools/go.ts';
import { kubernetesVersion as version } from '../chart/helm.ts';

const programs = [
  ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
  ...['kubelet', 'kube-proxy', 'kubectl'],
];

/** Builds a cluster's programs, unless an earlier run has: for the better part of an hour. @returns their folders */
export async function buildCluster(): Promise<string[]> {
  const module = 'k8s.io/kubernetes';
  const kubernetes = await buildOnce('kubernetes', `${module}@v${version}`, async (go, into) => {
    const downloaded = await go('mod', 'download', '-json', `${module}@v${version}`);
    const mod = await readFile(JSON.parse(downloaded).GoMod, 'utf8');
    // Its parts have versions of their own once they are published.
    const parts = [...mod.matchAll(/^\t(\S+) => \.\/staging\//gm)].map(([, part]) => part);
    const published = `v${version.replace(/^1/, '0')}`;
    const replaced = parts.map((part) => `-replace=${part}=${part}@${published}`);
    await go('mod', 'edit', `-require=${module}@v${version}`, ...replaced);
    const [major, minor] = version.split('.');
    const stamp = Object.entries({ gitVersion: `v${version}`, gitMajor: major, gitMinor: minor })
      .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
      .join(' ');
    const packages = programs.map((program) => `${module}/cmd/${program}`);
    await go('build', '-mod=mod', '-ldflags', `-s -w ${stamp}`, '-o', into, ...packages);
  });
  const etcd = { module: 'go.etcd.io/etcd', program: 'server/v3', version: 'v3.7.3' };
  const router = {
    module: 'github.com/cloudnativelabs/kube-router/v2',
    program: 'cmd/kube-router',
    version: 'v2.1.0',
  };
  const others = [await goProgram('etcd', etcd), await goProgram('kube-router', router)];
  return [kubernetes, ...others.map((file) => dirname(file))];
}
