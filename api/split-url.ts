/** Splits a URL without decoding it, because partners sign it as sent (docs/integrate/requests.md, Authentication). */
export function splitUrl(url: string): { pathname: string; query: string | null } {
  const end = url.indexOf('?');
  return end === -1
    ? { pathname: url, query: null }
    : { pathname: url.slice(0, end), query: url.slice(end + 1) };
}
