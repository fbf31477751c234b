import { readFile } from 'node:fs/promises';
import test from 'ava';
import { parse } from 'yaml';
import { checkChart } from '../../prove/chart/check.ts';
import { openHelm } from '../../prove/chart/helm.ts';

/** Kinds that Kubernetes does not have: of the Gateway API, the Prometheus operator and KEDA. */
const others: Record<string, string[]> = {
  'what leads to it and looks after it': ['HTTPRoute', 'HTTPRoute', 'PodMonitor', 'PrometheusRule'],
  KEDA: ['ScaledObject', 'ScaledObject', 'ScaledObject'],
};

test('Helm renders the chart, each value changes what it should, Kubernetes accepts each object, and mistakes are refused', async (t) => {
  // The first run builds Helm from source.
  t.timeout(20 * 60_000);
  const { rendered, problems } = await checkChart();
  t.deepEqual(problems, []);
  for (const { what, objects, unknown } of rendered) {
    t.true(objects.length >= 10, what);
    t.deepEqual(unknown.toSorted(), others[what] ?? [], what);
  }
});

test('the page’s example of an external Secret renders, before the migration that needs it', async (t) => {
  t.timeout(20 * 60_000);
  const page = await readFile(new URL('../../docs/operate/kubernetes.md', import.meta.url), 'utf8');
  const [, example = ''] = /```yaml\n( *extraObjects:[\s\S]*?)```/.exec(page) ?? [];
  const objects = await (await openHelm()).template({ values: parse(example) });
  const weightOf = (kind: string, name: string) => {
    const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
    return Number(found?.metadata.annotations?.['helm.sh/hook-weight']);
  };
  t.true(weightOf('ExternalSecret', 'partner-events') < weightOf('Job', 'events-migrate'));
});
