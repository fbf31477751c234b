export { applyPointsWorkflow } from './apply-points';
export { addCartCheck, type CartCheck } from './cart-checks';
export { compareOrdersWorkflow } from './compare-orders';
export { removePointsWorkflow } from './remove-points';
export { reportOrderWorkflow } from './report-order';
