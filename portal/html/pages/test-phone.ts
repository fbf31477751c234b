import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { section } from '../components.ts';
import { field, form } from '../form.ts';
import { html, nothing } from '../html.ts';
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
      title: say('testPhone.title'),
      crumbs: [[say('testPhone.profile'), '/profile']],
      lead: say('testPhone.lead'),
    },
    testPhoneCode
      ? section(
          say('testPhone.section.enterTheCode'),
          form(
            ctx,
            { action: `${path}/code`, submit: say('testPhone.submit'), filled },
            field({
              ...{
                name: 'code',
                label: say('common.code'),
                filled,
                isRequired: true,
                inputmode: 'numeric',
              },
              ...{ autocomplete: 'one-time-code', maxLength: 6 },
              hint: say('testPhone.code.hint', { to: testPhoneCode.to }),
            }),
          ),
        )
      : nothing,
    section(
      testPhone ? say('testPhone.section.useAnotherNumber') : say('testPhone.section.addANumber'),
      form(
        ctx,
        {
          action: path,
          submit: say('testPhone.submit.sendCode'),
          filled: testPhoneCode ? emptyForm : filled,
        },
        field({
          ...{ name: 'number', label: say('testPhone.number'), isRequired: true, maxLength: 32 },
          ...{ autocomplete: 'tel', filled: testPhoneCode ? emptyForm : filled },
        }),
      ),
    ),
    testPhone
      ? section(
          testPhone.number,
          form(
            ctx,
            {
              action: `${path}/remove`,
              submit: say('testPhone.submit.removeNumber'),
              isDangerous: true,
            },
            html`<p>${say('testPhone.itIsVerified')}</p>`,
          ),
        )
      : nothing,
  );
}
