const { ContainerRegistrationKeys } = require('@medusajs/framework/utils');

/** An order with what it earned, and the other way round. */
module.exports.GET = async ({ scope, query: { order_id } }, res) => {
  if (process.env.SHOP_PLUGIN === 'off') return res.json({ orders: [], purchases: [] });
  const query = scope.resolve(ContainerRegistrationKeys.QUERY);
  const { data: orders } = await query.graph({
    entity: 'order',
    fields: ['id', 'partner_events_purchases.*'],
    filters: { id: order_id },
  });
  const { data: purchases } = await query.graph({
    entity: 'partner_events_purchase',
    fields: ['reward_id', 'order.id'],
    filters: { order_id },
  });
  res.json({ orders, purchases });
};
