const { Modules } = require('@medusajs/framework/utils');

/** The email with the code that confirms a customer's address. */
module.exports.default = async ({ event, container }) => {
  const { entity_id: email, code } = event.data;
  await container.resolve(Modules.NOTIFICATION).createNotifications({
    to: email,
    channel: 'feed',
    template: 'confirm-email',
    data: { email, code },
  });
};

module.exports.config = {
  event: 'auth.verification_requested',
  context: { subscriberId: 'confirm-email' },
};
