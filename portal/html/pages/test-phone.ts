import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
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
      title: say('testPhone.title'),
      crumbs: [[say('testPhone.profile'), '/profile']],
      lead: say('testPhone.lead'),
    },
    testPhoneCode ? codeSection(ctx, testPhoneCode.to, filled) : nothing,
    section(
      testPhone ? say('testPhone.section.useAnotherNumber') : say('testPhone.section.addANumber'),
      numberForm(ctx, testPhoneCode ? emptyForm : filled),
    ),
    testPhone ? section(testPhone.number, removeForm(ctx)) : nothing,
  );
}

function codeSection(ctx: PageContext<'partner'>, to: string, filled: Filled): Html {
  return section(
    say('testPhone.section.enterTheCode'),
    form(
      ctx,
      { action: `${path}/code`, submit: say('testPhone.submit'), filled },
      field({
        name: 'code',
        label: say('common.code'),
        filled,
        isRequired: true,
        inputmode: 'numeric',
        autocomplete: 'one-time-code',
        maxLength: 6,
        hint: say('testPhone.code.hint', { to }),
      }),
    ),
  );
}

const numberForm = (ctx: PageContext<'partner'>, filled: Filled): Html =>
  form(
    ctx,
    { action: path, submit: say('testPhone.submit.sendCode'), filled },
    field({
      name: 'number',
      label: say('testPhone.number'),
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
      submit: say('testPhone.submit.removeNumber'),
      isDangerous: true,
    },
    html`<p>${say('testPhone.itIsVerified')}</p>`,
  );
