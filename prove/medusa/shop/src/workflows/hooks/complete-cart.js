const { MedusaError } = require('@medusajs/framework/utils');
const { completeCartWorkflow } = require('@medusajs/medusa/core-flows');

const addCartCheck =
  process.env.SHOP_PLUGIN === 'off'
    ? completeCartWorkflow.hooks.validate
    : require('medusa-plugin-partner-events/workflows').addCartCheck;

/** A rule of the shop's own. */
addCartCheck(async ({ cart }) => {
  if (cart.metadata?.is_refused) {
    throw new MedusaError(MedusaError.Types.NOT_ALLOWED, 'The shop does not sell this.');
  }
});
