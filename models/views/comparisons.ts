import type { ComparisonJob } from '../schemas/jobs.ts';
import type { ViewDeps } from './deps.ts';
import { integrationNames } from './integration-names.ts';
import type { PartnerScope } from './partner-scope.ts';

/** The names of comparisons' integrations. */
export const comparedIntegrations = (
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  jobs: readonly ComparisonJob[],
): Promise<(integrationId: string | null) => string> =>
  integrationNames(
    models,
    partnerId,
    jobs.map(({ input }) => input),
  );
