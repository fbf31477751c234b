import type { completeCartWorkflow } from '@medusajs/medusa/core-flows';

/** A handler of `completeCartWorkflow.hooks.validate`: it throws a MedusaError if a cart must not become an order. */
export type CartCheck = Parameters<typeof completeCartWorkflow.hooks.validate>[0];

export const cartChecks: CartCheck[] = [];

/** Has a check of the shop made before points are spent: Medusa allows one handler of the hook, and the plug-in has it. */
export function addCartCheck(check: CartCheck): void {
  cartChecks.push(check);
}
