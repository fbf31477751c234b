// Copy and print buttons. They are shown only with JavaScript, also in parts of the page that load later.
const show = (root) => {
  for (const button of root.querySelectorAll('[data-copy][hidden], [data-print][hidden]'))
    button.hidden = false;
};
show(document);
document.addEventListener('htmx:after:swap', () => show(document));
document.addEventListener('click', (event) => {
  if (event.target instanceof Element && event.target.closest('[data-print]')) print();
});
document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null;
  if (!button) return;
  const { copied, byHand } = button.dataset;
  const copy = button.textContent;
  if (copy === copied || copy === byHand) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = copied;
  } catch {
    button.textContent = byHand;
    getSelection()?.selectAllChildren(button.previousElementSibling ?? button);
  }
  setTimeout(() => {
    button.textContent = copy;
  }, 2_000);
});
// Where the tabs don't fit, the current one is brought into view.
document
  .querySelector('.tabs [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center' });
// The columns of a selected CSV file, as suggestions for the fields that name them.
document.addEventListener('change', async (event) => {
  const input = event.target instanceof HTMLInputElement ? event.target : null;
  const list = document.getElementById(input?.dataset.columnsIn ?? '');
  const file = input?.files?.[0];
  if (!list || !file) return;
  const text = (await file.slice(0, 65_536).text()).replace(/^\ufeff/, '');
  const [first, separator] = /^sep=(.)\r?\n/i.exec(text) ?? [''];
  const [header = ''] = text.slice(first.length).split(/\r\n|\n|\r/);
  const count = (mark) => header.split(mark).length;
  const [most] = [',', ';', '\t'].toSorted((one, other) => count(other) - count(one));
  const names = header.split(separator ?? most).map((name) => name.trim().replace(/^"|"$/g, ''));
  const option = (value) => Object.assign(document.createElement('option'), { value });
  list.replaceChildren(...new Set(names).values().filter(Boolean).map(option));
});
// A form with a passkey: the browser makes it, then the form is sent.
document.addEventListener('submit', async (event) => {
  const form = event.target instanceof HTMLFormElement ? event.target : null;
  const field = form?.querySelector('[data-passkey]');
  if (!field) return;
  event.preventDefault();
  const use = field.dataset.passkey;
  try {
    const body = new URLSearchParams({ csrf: form.elements.csrf.value, use });
    const options = await fetch('/second-factor/passkeys/options', { method: 'POST', body });
    const publicKey = await options.json();
    const { credentials } = navigator;
    const credential =
      use === 'ADD'
        ? await credentials.create({
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey),
          })
        : await credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey),
          });
    field.value = JSON.stringify(credential);
    form.submit();
  } catch {
    field.nextElementSibling.hidden = false;
  }
});
// Keyboard shortcuts, ignored while the user is typing.
document.addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof Element && event.target.closest('input, textarea, select');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const named = document.querySelector(`[data-shortcut="${CSS.escape(event.key)}"]`);
  if (!named) return;
  event.preventDefault();
  named.focus();
});
// The search of a page: while the user types, it hides what does not contain all the words, as the server does.
document.addEventListener('input', (event) => {
  const input = event.target instanceof HTMLInputElement ? event.target : null;
  if (input?.dataset.searchPage === undefined) return;
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const link of document.querySelectorAll('.contents li > a')) {
    const part = document.getElementById(link.hash.slice(1));
    const text = part.textContent.toLowerCase();
    part.hidden = !words.every((word) => text.includes(word));
    link.parentElement.hidden = part.hidden;
  }
  scrollTo(0, 0);
});
