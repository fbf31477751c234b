import test from 'ava';
import { checkChart } from '../../prove/chart/check.ts';

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
