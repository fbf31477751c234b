import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';

/** How many decimals a currency has: 2 for euros, 0 for yen. */
export async function digitsOf(container: MedusaContainer, currency: string): Promise<number> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({
    entity: 'currency',
    fields: ['decimal_digits'],
    filters: { code: currency.toLowerCase() },
  });
  const digits = data[0]?.decimal_digits;
  if (digits === undefined) throw new Error(`The shop does not know the currency ${currency}.`);
  return digits;
}
