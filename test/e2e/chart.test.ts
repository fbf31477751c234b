import test from 'ava';
import { checkChart } from '../../prove/chart/check.ts';

interface Policy {
  metadata: { name: string };
  spec: { egress: { ports: { port: number }[] }[] };
}

/** Kinds of the Gateway API and of the Prometheus operator, which Kubernetes does not know. */
const others: Record<string, string[]> = {
  everything: ['HTTPRoute', 'HTTPRoute', 'PodMonitor', 'PrometheusRule'],
  OpenShift: ['HTTPRoute', 'HTTPRoute'],
};

test('Helm renders the chart, Kubernetes accepts each object, and the schema rejects mistakes', async (t) => {
  // The first run builds Helm from source.
  t.timeout(20 * 60_000);
  const { rendered, problems } = await checkChart();
  t.deepEqual(problems, []);
  for (const { what, objects, unknown } of rendered) {
    t.true(objects.length >= 10, what);
    t.deepEqual(unknown.toSorted(), others[what] ?? [], what);
  }
  const policies = rendered
    .find(({ what }) => what === 'everything')
    ?.objects.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as Policy[];
  t.is(policies.length, 5);
  for (const { metadata, spec } of policies) {
    const isToCollector = spec.egress.some(({ ports }) => ports.some(({ port }) => port === 4318));
    t.is(isToCollector, metadata.name !== 'events-test', `${metadata.name}: the trace collector`);
  }
});
