// Run by the MongoDB image on its first start, as root: the user of the service, for its database alone.
db.getSiblingDB('partner_purchase_events').createUser({
  user: 'service',
  pwd: process.env.MONGODB_PASSWORD,
  roles: ['readWrite', 'dbAdmin'],
});
