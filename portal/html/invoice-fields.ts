import type { Filled } from '../forms/submit.ts';
import { say } from '../words/say.ts';
import { field, textArea } from './form.ts';
import type { Html } from './html.ts';

/** Fields for a partner's details on invoices, except legal name and country. */
export const invoiceFields = (filled: Filled): Html[] => [
  textArea({
    name: 'billingAddress',
    label: say('invoiceFields.billingAddress'),
    filled,
    rows: 4,
    maxLength: 500,
    hint: say('invoiceFields.billingAddress.hint'),
  }),
  field({
    name: 'taxId',
    label: say('invoiceFields.taxId'),
    filled,
    maxLength: 50,
    hint: say('invoiceFields.taxId.hint'),
  }),
];
