/**
 * Does work on documents page by page, as they are read.
 * @param work returns a number
 * @returns the sum
 */
export async function inPages<Doc>(
  docs: AsyncIterable<Doc>,
  pageSize: number,
  work: (page: readonly Doc[]) => Promise<number>,
): Promise<number> {
  let sum = 0;
  let page: Doc[] = [];
  for await (const doc of docs) {
    page.push(doc);
    if (page.length < pageSize) continue;
    sum += await work(page);
    page = [];
  }
  return page.length === 0 ? sum : sum + (await work(page));
}
