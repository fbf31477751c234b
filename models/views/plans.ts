import { findPlanVersion } from '../billing/index.ts';
import type { PlanVersionDoc } from '../schemas/billing.ts';
import { given, type Page, type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps } from './deps.ts';

/** A page of all plan versions, for operators. */
export const readPlans = (
  { models }: ModelDeps,
  status: PlanVersionDoc['status'] | undefined,
  query: PageQuery,
): Promise<Page<PlanVersionDoc>> =>
  page(models.planVersions, given({ status }), query, (plan: PlanVersionDoc) => plan);

export type Plans = Awaited<ReturnType<typeof readPlans>>;

/** @throws ServiceError NOT_FOUND */
export const readPlan = ({ models }: ModelDeps, planVersionId: string): Promise<PlanVersionDoc> =>
  findPlanVersion(models, planVersionId);
