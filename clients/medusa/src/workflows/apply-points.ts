import { MedusaError } from '@medusajs/framework/utils';
import {
  createStep,
  createWorkflow,
  StepResponse,
  transform,
  WorkflowResponse,
} from '@medusajs/framework/workflows-sdk';
import {
  acquireLockStep,
  createCartCreditLinesWorkflow,
  refreshPaymentCollectionForCartWorkflow,
  releaseLockStep,
} from '@medusajs/medusa/core-flows';
import { partnerEventsModule } from '../modules/partner-events';
import { answered, atOnce, type PartnerEventsService } from '../modules/partner-events/service';
import { creditLineReference, wholeMinorUnits } from '../order-state';
import { cartOf } from './cart';
import { digitsOf } from './currency';
import { removePointsStep } from './remove-points';

interface Input {
  cart_id: string;
  customer_id: string;
  /** In the currency's major unit, as Medusa has amounts; by default as much as possible. */
  amount?: number | undefined;
}

const holdPointsStep = createStep(
  'partner-events-hold-points',
  async ({ cart_id, customer_id, amount }: Input, { container }) => {
    const service: PartnerEventsService = container.resolve(partnerEventsModule);
    const { client, settings } = await service.requireConnection();
    const cart = await cartOf(container, cart_id, customer_id);
    const digits = await digitsOf(container, cart.currency_code);
    const customer = { email: cart.customer.email };
    const balance = await answered(client.balance({ customer }, atOnce));
    if (balance.currency !== cart.currency_code.toUpperCase()) {
      throw notAllowed(`Points pay in ${balance.currency} only.`);
    }
    const wanted = amount === undefined ? balance.amountCents : wholeMinorUnits(amount, digits);
    const payable = wholeMinorUnits(cart.total, digits);
    const amountCents = Math.min(wanted, payable);
    if (amountCents < 1)
      throw notAllowed('There are no points to pay with, or nothing to pay for.');
    const hold = { cart_id, mode: settings.mode, email: customer.email, amountCents };
    const { id, points, expiresAt } = await service.hold(hold);
    const held = {
      redemption_id: id,
      points,
      // Less than a minor unit can't be paid, and would keep a cart from being completed without a payment.
      amount: amountCents === payable ? Number(cart.total) : amountCents / 10 ** digits,
      expires_at: expiresAt,
    };
    return new StepResponse(held, id);
  },
  async (id, { container }) => {
    if (!id) return;
    const service: PartnerEventsService = container.resolve(partnerEventsModule);
    await service.giveBack(id);
  },
);

/** Holds points of the customer for the cart, instead of those that it had before, and takes them off its total. */
export const applyPointsWorkflow = createWorkflow('partner-events-apply-points', (input: Input) => {
  acquireLockStep({ key: input.cart_id, timeout: 30, ttl: 120 });
  removePointsStep(input);
  const held = holdPointsStep(input);
  const creditLines = transform({ input, held }, ({ input, held }) => [
    {
      cart_id: input.cart_id,
      amount: held.amount,
      reference: creditLineReference,
      reference_id: held.redemption_id,
      metadata: { points: held.points, expires_at: held.expires_at },
    },
  ]);
  createCartCreditLinesWorkflow.runAsStep({ input: creditLines });
  refreshPaymentCollectionForCartWorkflow.runAsStep({ input: { cart_id: input.cart_id } });
  releaseLockStep({ key: input.cart_id });
  return new WorkflowResponse(held);
});

const notAllowed = (message: string) => new MedusaError(MedusaError.Types.NOT_ALLOWED, message);
