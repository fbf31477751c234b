import type { PageContext } from '../context.ts';
import type { Part } from './html.ts';
import { layout, type PageOptions } from './layout.ts';

/** A page as it is to be shown, before the layout is put around it. */
export interface Page {
  options: PageOptions;
  content: readonly Part[];
}

/** What a page is called, and what is on it. */
export const page = (options: PageOptions, ...content: Part[]): Page => ({ options, content });

/** Answers with a page. */
export function render(ctx: PageContext, { options, content }: Page): void {
  ctx.type = 'html';
  ctx.body = layout(ctx, options, ...content);
}

/** Answers with a page that is put together here. */
export function view(ctx: PageContext, options: PageOptions, ...content: Part[]): void {
  render(ctx, page(options, ...content));
}
