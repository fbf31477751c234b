const { defineConfig } = require('@medusajs/framework/utils');

const { DATABASE_URL, SHOP_SECRET, PARTNER_EVENTS_SEALING_KEY, SHOP_URL } = process.env;
const isInstalled = process.env.SHOP_PLUGIN !== 'off';

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
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
