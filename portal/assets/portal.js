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
