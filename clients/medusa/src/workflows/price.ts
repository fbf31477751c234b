import type { MedusaContainer } from '@medusajs/framework/types';
import {
  ContainerRegistrationKeys,
  calculateAmountsWithTax,
  MedusaError,
  Modules,
  QueryContext,
} from '@medusajs/framework/utils';

interface Wanted {
  variantId: string;
  regionId: string;
  countryCode?: string | undefined;
}

interface PricedVariant {
  id: string;
  product?: { id: string; status: string; type_id?: string | null } | null;
  calculated_price?: {
    calculated_amount: number | null;
    currency_code: string;
    is_calculated_price_tax_inclusive: boolean;
  } | null;
}

/**
 * What one piece of a published product costs in a region, without tax.
 * @returns the amount in the currency's major unit
 * @throws MedusaError NOT_FOUND if there is no such product, region or price
 */
export async function priceOf(
  container: MedusaContainer,
  { variantId, regionId, countryCode }: Wanted,
): Promise<{ amount: number; currency: string }> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data: regions } = await query.graph({
    entity: 'region',
    fields: ['currency_code', 'automatic_taxes', 'countries.iso_2'],
    filters: { id: regionId },
  });
  const region = regions[0];
  if (!region) throw notFound(`There is no region ${regionId}.`);
  const { currency_code } = region;
  const { data } = await query.graph({
    entity: 'variant',
    fields: ['id', 'product.id', 'product.status', 'product.type_id', 'calculated_price.*'],
    filters: { id: variantId },
    context: { calculated_price: QueryContext({ region_id: regionId, currency_code }) },
  });
  const variant = data[0] as unknown as PricedVariant | undefined;
  const price = variant?.calculated_price;
  if (variant?.product?.status !== 'published' || !price || price.calculated_amount === null) {
    throw notFound(`Nothing can be bought in this region as ${variantId}.`);
  }
  const amount = price.calculated_amount;
  const currency = price.currency_code;
  if (!price.is_calculated_price_tax_inclusive || !region.automatic_taxes) {
    return { amount, currency };
  }
  const item = {
    id: variant.id,
    product_id: variant.product.id,
    product_type_id: variant.product.type_id ?? undefined,
    quantity: 1,
    unit_price: amount,
    currency_code: currency,
  };
  const country_code = countryCode ?? region.countries?.[0]?.iso_2 ?? '';
  const taxLines = await container
    .resolve(Modules.TAX)
    .getTaxLines([item], { address: { country_code } });
  const { priceWithoutTax } = calculateAmountsWithTax({
    taxLines: taxLines as Parameters<typeof calculateAmountsWithTax>[0]['taxLines'],
    amount,
    includesTax: true,
  });
  return { amount: priceWithoutTax, currency };
}

const notFound = (message: string) => new MedusaError(MedusaError.Types.NOT_FOUND, message);
