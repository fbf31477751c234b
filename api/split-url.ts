/** An address as it was sent: what a partner signed is not decoded (docs/contract.md, Authentication). */
export function splitUrl(url: string): { pathname: string; query: string | null } {
  const end = url.indexOf('?');
  return end === -1
    ? { pathname: url, query: null }
    : { pathname: url.slice(0, end), query: url.slice(end + 1) };
}
