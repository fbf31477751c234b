export { applyPointsWorkflow } from './apply-points';
export { compareOrdersWorkflow } from './compare-orders';
export { removePointsWorkflow } from './remove-points';
export { reportOrderWorkflow } from './report-order';
