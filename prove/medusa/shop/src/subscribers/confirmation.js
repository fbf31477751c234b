const { Modules } = require('@medusajs/framework/utils');

/** The confirmation of an order, as its README says: with the link that claims its points. */
module.exports.default = async ({ event, container }) => {
  if (process.env.SHOP_PLUGIN === 'off') return;
  const { reportOrderWorkflow } = require('medusa-plugin-partner-events/workflows');
  const order_id = event.data.id;
  await reportOrderWorkflow(container).run({ input: { order_id } });
  const reward = await container.resolve('partnerEvents').rewardOf(order_id);
  await container.resolve(Modules.NOTIFICATION).createNotifications({
    to: 'customer',
    channel: 'feed',
    template: 'order-confirmation',
    data: { order_id, claim_url: reward?.claimUrl ?? null },
  });
};

module.exports.config = { event: 'order.placed', context: { subscriberId: 'confirmation' } };
