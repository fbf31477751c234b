// Shows the times on a customer's page in the reader's own zone, which the server cannot know.
const { lang } = document.documentElement;
const styles = {
  minute: { dateStyle: 'medium', timeStyle: 'short' },
  day: { dateStyle: 'medium' },
};
// Dates are written as is common in the language.
const locale = lang === 'en' ? 'en-GB' : lang;
const zoneAt = (at) =>
  new Intl.DateTimeFormat(locale, { timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';
for (const time of document.querySelectorAll('time[data-local]')) {
  const at = new Date(time.dateTime);
  const said = new Intl.DateTimeFormat(locale, styles[time.dataset.local]).format(at);
  time.textContent = time.dataset.local === 'minute' ? `${said} ${zoneAt(at)}` : said;
}
