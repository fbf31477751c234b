import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { section } from '../components.ts';
import { field, form } from '../form.ts';
import { html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';

const path = '/profile/test-phone';

/** The phone that text messages about TEST rewards go to: a number is entered, then the code that it was sent. */
export function testPhonePage(ctx: PageContext<'partner'>, filled: Filled = emptyForm): Page {
  const { testPhone, testPhoneCode } = ctx.state.viewer.partner;
  return page(
    {
      title: 'Phone for TEST messages',
      crumbs: [['Profile', '/profile']],
      lead: 'In TEST, text messages go only to this phone. Without one, they stay in the outbox.',
    },
    testPhoneCode
      ? section(
          'Enter the code',
          form(
            ctx,
            { action: `${path}/code`, submit: 'Verify the number', filled },
            field({
              ...{ name: 'code', label: 'Code', filled, isRequired: true, inputmode: 'numeric' },
              ...{ autocomplete: 'one-time-code', maxLength: 6 },
              hint: `It was sent to ${testPhoneCode.to} and is valid for 10 minutes.`,
            }),
          ),
        )
      : nothing,
    section(
      testPhone ? 'Use another number' : 'Add a number',
      form(
        ctx,
        { action: path, submit: 'Send a code', filled: testPhoneCode ? emptyForm : filled },
        field({
          ...{ name: 'number', label: 'Phone number', isRequired: true, maxLength: 32 },
          ...{ autocomplete: 'tel', filled: testPhoneCode ? emptyForm : filled },
        }),
      ),
    ),
    testPhone
      ? section(
          testPhone.number,
          form(
            ctx,
            { action: `${path}/remove`, submit: 'Remove the number', isDangerous: true },
            html`<p>It is verified.</p>`,
          ),
        )
      : nothing,
  );
}
