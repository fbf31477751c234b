const { ModuleProvider, Modules } = require('@medusajs/framework/utils');
const { SystemPaymentProvider } = require('@medusajs/payment/dist/providers/system');

/** The bank of a card that is declined. */
class DecliningProvider extends SystemPaymentProvider {
  static identifier = 'declining';

  async authorizePayment() {
    return { data: {}, status: 'error' };
  }
}

module.exports = ModuleProvider(Modules.PAYMENT, { services: [DecliningProvider] });
