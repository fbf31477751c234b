import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { section } from '../components.ts';
import { field, form } from '../form.ts';
import { type Html, html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';

const path = '/profile/test-phone';

/**
 * Sets the phone that receives text messages about TEST rewards: first the number is entered, then the code
 * sent to it.
 */
export function testPhonePage(ctx: PageContext<'partner'>, filled: Filled = emptyForm): Page {
  const { testPhone, testPhoneCode } = ctx.state.viewer.partner;
  return page(
    {
      title: 'Phone for TEST messages',
      crumbs: [['Profile', '/profile']],
      lead: 'In TEST, text messages go only to this phone. Without one, they are not sent.',
    },
    testPhoneCode ? codeSection(ctx, testPhoneCode.to, filled) : nothing,
    section(
      testPhone ? 'Use another number' : 'Add a number',
      numberForm(ctx, testPhoneCode ? emptyForm : filled),
    ),
    testPhone ? section(testPhone.number, removeForm(ctx)) : nothing,
  );
}

function codeSection(ctx: PageContext<'partner'>, to: string, filled: Filled): Html {
  return section(
    'Enter the code',
    form(
      ctx,
      { action: `${path}/code`, submit: 'Verify number', filled },
      field({
        name: 'code',
        label: 'Code',
        filled,
        isRequired: true,
        inputmode: 'numeric',
        autocomplete: 'one-time-code',
        maxLength: 6,
        hint: `It was sent to ${to} and is valid for 10 minutes.`,
      }),
    ),
  );
}

const numberForm = (ctx: PageContext<'partner'>, filled: Filled): Html =>
  form(
    ctx,
    { action: path, submit: 'Send a code', filled },
    field({
      name: 'number',
      label: 'Phone number',
      isRequired: true,
      maxLength: 32,
      autocomplete: 'tel',
      filled,
    }),
  );

const removeForm = (ctx: PageContext<'partner'>): Html =>
  form(
    ctx,
    {
      action: `${path}/remove`,
      submit: 'Remove number',
      isDangerous: true,
    },
    html`<p>It is verified.</p>`,
  );
