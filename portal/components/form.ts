import { formatCents } from '../../domain/money.ts';
import type { PortalState } from '../context.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { csrfField } from '../middleware/form.ts';
import { type Html, html, nothing, type Part } from './format.ts';

export interface FormContext {
  state: Pick<PortalState, 'csrf' | 'hasForm'>;
}

export interface FormOptions {
  action: string;
  /** The button's text. */
  submit: string;
  /** Values and errors of a submitted form; the errors are also listed at the top of the page. */
  filled?: Filled;
  isDangerous?: boolean;
  /** Puts the button next to the fields. */
  isInline?: boolean;
  /** Set if the last field is a file: anything after it is not read. */
  takesFile?: boolean;
  /** The `step` value of the button, and a second, less far-reaching button. */
  steps?: { value: string; other: { submit: string; value: string } };
}

export function form(ctx: FormContext, options: FormOptions, ...fields: Part[]): Html {
  const { action, submit, isDangerous, isInline, takesFile, steps } = options;
  const kind = isDangerous ? 'danger' : 'primary';
  return html`<form method="post" action="${action}" class="${isInline ? 'inline' : 'stacked'}" ${takesFile ? html`enctype="multipart/form-data"` : nothing}>
${csrfInput(ctx)}
${fields}
${
  steps === undefined
    ? html`<button type="submit" class="${kind}">${submit}</button>`
    : html`<p class="buttons"><button type="submit" name="step" value="${steps.value}" class="${kind}">${submit}</button>
<button type="submit" name="step" value="${steps.other.value}" class="secondary">${steps.other.submit}</button></p>`
}</form>`;
}

/** The token's field, for forms that don't use `form`. */
export function csrfInput({ state }: FormContext): Html {
  state.hasForm = true;
  return html`<input type="hidden" name="${csrfField}" value="${state.csrf}">`;
}

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

export interface FieldOptions {
  name: string;
  /** Where another form of the page has a field with this name. */
  id?: string;
  label: string;
  filled?: Filled;
  hint?: Part;
  type?: 'text' | 'email' | 'password' | 'url' | 'date' | 'datetime-local';
  autocomplete?: string;
  inputmode?: 'numeric' | 'decimal';
  isRequired?: boolean;
  maxLength?: number;
  placeholder?: string;
  autofocus?: boolean;
  /** The id of a list of suggestions. */
  list?: string;
  /** What number it is: what is read of it is shown below. */
  reads?: Reading;
  /** Of the amount that is entered. */
  currency?: string;
  /** The field in which another currency can be entered. */
  currencyIn?: string;
}

/** A field with its label, hint and error. */
export function field(options: FieldOptions): Html {
  const { name, type = 'text', filled = emptyForm, autocomplete, inputmode, maxLength } = options;
  const { id = name } = options;
  const value = type === 'password' ? undefined : textOf(filled, name);
  return labelled(
    options,
    (described) =>
      html`<input id="${id}" name="${name}" type="${type}" ${attributes({
        value,
        autocomplete,
        inputmode,
        maxlength: maxLength,
        placeholder: options.placeholder,
        list: options.list,
        ...readingAttributes(options),
      })} ${described} ${options.isRequired ? html`required` : nothing} ${options.autofocus ? html`autofocus` : nothing}>`,
  );
}

/** The numbers that people enter: an amount of money, a price with up to six decimals, a factor, and a count. */
export const readings = ['amount', 'price', 'factor', 'count'] as const;
export type Reading = (typeof readings)[number];

/** A field for a number, which is shown as it is read. */
export const numberField = (options: FieldOptions & { reads: Reading }): Html =>
  field({
    inputmode: options.reads === 'count' ? 'numeric' : 'decimal',
    maxLength: 20,
    autocomplete: 'off',
    ...options,
  });

/** A field for an amount of money. */
export const amountField = (options: FieldOptions & { currency: string }): Html =>
  numberField({
    reads: 'amount',
    hint: `${options.currency}, for example ${formatCents(4_990, options.currency)}`,
    ...options,
  });

const readingAttributes = ({ reads, currency, currencyIn }: FieldOptions) =>
  reads === undefined
    ? {}
    : {
        'hx-get': `${readAsPath}?${new URLSearchParams({
          as: reads,
          ...(currency !== undefined && currencyIn === undefined && { currency }),
        })}`,
        'hx-include': currencyIn,
        'hx-trigger': 'input changed delay:300ms',
        'hx-target': 'next output',
        'hx-sync': 'this:replace',
      };

/** Where a number is read as it is typed. */
export const readAsPath = '/read-as.txt';

/**
 * A file field.
 * @param accept the accepted extensions and media types
 * @param columnsIn the id of a list that gets the columns of a selected CSV file
 */
export function fileField(options: FieldOptions & { accept: string; columnsIn?: string }): Html {
  const { name, accept, columnsIn, isRequired } = options;
  return labelled(
    options,
    (described) =>
      html`<input id="${name}" name="${name}" type="file" accept="${accept}" ${attributes({ 'data-columns-in': columnsIn })} ${described} ${isRequired ? html`required` : nothing}>`,
  );
}

export function textArea(options: FieldOptions & { rows?: number }): Html {
  const { name, filled = emptyForm, rows = 6, maxLength } = options;
  return labelled(
    options,
    (described) =>
      html`<textarea id="${name}" name="${name}" ${attributes({ rows, maxlength: maxLength })} ${described} ${options.isRequired ? html`required` : nothing}>${textOf(filled, name)}</textarea>`,
  );
}

export interface Choice {
  value: string;
  text: string;
}

/**
 * A list to select from.
 * @param loads a part of the page that is reloaded with the selected value; meanwhile its fields are
 *   disabled, since what is entered there would be lost
 */
export function select(
  options: FieldOptions & {
    choices: readonly Choice[];
    chosen?: string;
    loads?: { path: string; part: string };
  },
): Html {
  const { name, choices, filled = emptyForm, chosen, loads } = options;
  const current = textOf(filled, name) ?? chosen;
  return labelled(
    options,
    (described) =>
      html`<select id="${name}" name="${name}" ${described} ${
        loads
          ? html`hx-get="${loads.path}" hx-trigger="change" hx-target="${loads.part}" hx-select="${loads.part}" hx-swap="outerHTML" hx-disable="${loads.part}"`
          : nothing
      }>${choices.map(
        ({ value, text }) =>
          html`<option value="${value}" ${value === current ? html`selected` : nothing}>${text}</option>`,
      )}</select>`,
  );
}

/** A checkbox, sent as `on`. */
export function checkbox({ name, label, filled = emptyForm, isRequired }: FieldOptions): Html {
  const isTicked = textOf(filled, name) === 'on';
  const wrong = filled.errors[name];
  const described = html`${wrong ? html`aria-invalid="true" aria-describedby="${name}-error"` : nothing}`;
  return html`<div class="field"><label class="tick"><input type="checkbox" id="${name}" name="${name}" value="on" ${isTicked ? html`checked` : nothing} ${isRequired ? html`required` : nothing} ${described}> <span>${label}</span></label>
${wrong ? html`<small id="${name}-error" class="error">${wrong}</small>` : nothing}</div>`;
}

/** Checkboxes that share a name. */
export function tickList(
  options: FieldOptions & { choices: readonly { value: string; text: Part }[] },
): Html {
  const { name, label, hint, filled = emptyForm, choices } = options;
  const ticked = [filled.values[name] ?? []].flat();
  const wrong = filled.errors[name];
  return html`<fieldset class="field ticks"><legend>${label}</legend>
${hint ? html`<small class="hint">${hint}</small>` : nothing}
<div>${choices.map(
    ({ value, text }, nth) =>
      html`<label class="tick"><input type="checkbox" ${nth === 0 ? html`id="${name}"` : nothing} name="${name}" value="${value}" ${wrong ? html`aria-invalid="true" aria-describedby="${name}-error"` : nothing} ${ticked.includes(value) ? html`checked` : nothing}> <span>${text}</span></label>`,
  )}</div>
${wrong ? html`<small id="${name}-error" class="error">${wrong}</small>` : nothing}</fieldset>`;
}

/**
 * A form behind a button, in place; it is open while it shows errors.
 * @param isOpen also if it shows what was entered before a second factor was requested
 */
export const formBehind = (
  ctx: FormContext,
  { ask, isOpen = false, ...options }: FormOptions & { ask: string; isOpen?: boolean },
  ...fields: Part[]
): Html =>
  html`<details class="confirm" ${isOpen || isWrong(options) ? html`open` : nothing}><summary>${ask}</summary>${form(ctx, options, fields)}</details>`;

const isWrong = ({ filled = emptyForm }: FormOptions): boolean =>
  Object.keys(filled.errors).length > 0;

/** A confirmation that works without JavaScript: the button is inside a collapsed section. */
export function confirm(
  ctx: FormContext,
  { ask, question, ...options }: FormOptions & { ask: string; question: Part },
  ...fields: Part[]
): Html {
  const { isDangerous = true } = options;
  return html`<details class="confirm ${isDangerous ? 'is-dangerous' : ''}" ${isWrong(options) ? html`open` : nothing}><summary>${ask}</summary><div><p>${question}</p>${form(
    ctx,
    { isDangerous: true, ...options },
    fields,
  )}</div></details>`;
}

function labelled(
  { name, id = name, label, hint, filled = emptyForm, reads }: FieldOptions,
  control: (described: Html) => Html,
): Html {
  const wrong = filled.errors[name];
  const ids = [...(hint ? [`${id}-hint`] : []), ...(wrong ? [`${id}-error`] : [])].join(' ');
  const described = html`${ids === '' ? nothing : html`aria-describedby="${ids}"`} ${wrong ? html`aria-invalid="true"` : nothing}`;
  return html`<div class="field"><label for="${id}">${label}</label>
${hint ? html`<small id="${id}-hint" class="hint">${hint}</small>` : nothing}
${control(described)}
${reads === undefined ? nothing : html`<output id="${id}-read" for="${id}" class="hint"></output>`}
${wrong ? html`<small id="${id}-error" class="error">${wrong}</small>` : nothing}</div>`;
}

function textOf({ values }: Filled, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : value?.[0];
}

function attributes(given: Record<string, string | number | undefined>): Html[] {
  return Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [html`${name}="${value}" `],
  );
}

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
