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
