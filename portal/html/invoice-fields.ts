import type { Filled } from '../forms/submit.ts';
import { field, textArea } from './form.ts';
import type { Html } from './html.ts';

/** Fields for a partner's details on invoices, except legal name and country. */
export const invoiceFields = (filled: Filled): Html[] => [
  textArea({
    name: 'billingAddress',
    label: 'Billing address',
    filled,
    rows: 4,
    maxLength: 500,
    hint: 'For invoices, without the country. At most 8 lines.',
  }),
  field({
    name: 'taxId',
    label: 'Tax number',
    filled,
    maxLength: 50,
    hint: 'As it appears on invoices, such as a VAT number.',
  }),
];
