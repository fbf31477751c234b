import { buildGo } from './go.ts';

/** Prometheus' own program for tests of rules. Without its ways to discover targets elsewhere. @returns its file @throws Error without Go */
export const buildPromtool = (): Promise<string> =>
  buildGo(
    new URL('./promtool/', import.meta.url),
    'promtool',
    'github.com/prometheus/prometheus/cmd/promtool',
    { GOFLAGS: '-tags=remove_all_sd,enable_dns_sd', CGO_ENABLED: '0' },
  );
