const { defineConfig } = require('@medusajs/framework/utils');

const {
  DATABASE_URL,
  REDIS_URL: redisUrl,
  SHOP_SECRET,
  PARTNER_EVENTS_SEALING_KEY,
  SHOP_URL,
} = process.env;
const isInstalled = process.env.SHOP_PLUGIN !== 'off';

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    redisUrl,
    // The administrator's browser has no TLS here.
    cookieOptions: { secure: false, sameSite: 'lax' },
    http: {
      storeCors: SHOP_URL,
      adminCors: SHOP_URL,
      authCors: SHOP_URL,
      jwtSecret: SHOP_SECRET,
      cookieSecret: SHOP_SECRET,
    },
  },
  // Beside a bank, what Medusa advises for several processes.
  modules: [
    {
      resolve: '@medusajs/medusa/payment',
      options: { providers: [{ resolve: './src/modules/declining', id: 'bank' }] },
    },
    { resolve: '@medusajs/medusa/event-bus-redis', options: { redisUrl } },
    { resolve: '@medusajs/medusa/workflow-engine-redis', options: { redis: { redisUrl } } },
    {
      resolve: '@medusajs/medusa/locking',
      options: {
        providers: [
          {
            resolve: '@medusajs/medusa/locking-redis',
            id: 'locking-redis',
            is_default: true,
            options: { redisUrl },
          },
        ],
      },
    },
  ],
  admin: { disable: process.env.SHOP_ADMIN !== 'on' },
  plugins: isInstalled
    ? [
        {
          resolve: 'medusa-plugin-partner-events',
          options: { sealingKey: PARTNER_EVENTS_SEALING_KEY },
        },
      ]
    : [],
});
