import { type Html, html } from './html.ts';

/** The search box for any kind of id. @param typed the previous search */
export function findForm(typed = ''): Html {
  return html`<search><form method="get" action="/find" class="find-form">
<label for="q">Find an order, refund, event, reward, request or Idempotency-Key</label>
<div><input id="q" name="q" type="search" class="find-typed" value="${typed}" maxlength="255" autocomplete="off" spellcheck="false" required>
<button type="submit" class="primary">Find</button></div></form></search>`;
}
