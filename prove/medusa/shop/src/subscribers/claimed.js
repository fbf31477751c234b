const { Modules } = require('@medusajs/framework/utils');

/** The shop thanks the customer once the points are claimed, as a webhook says. */
module.exports.default = async ({ event, container }) => {
  await container.resolve(Modules.NOTIFICATION).createNotifications({
    to: 'customer',
    channel: 'feed',
    template: 'claimed',
    data: { reward_id: event.data.data.rewardId },
  });
};

module.exports.config = {
  event: 'partner_events.reward.claimed',
  context: { subscriberId: 'claimed' },
};
