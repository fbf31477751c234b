import type { PageContext } from '../context.ts';
import type { Part } from './format.ts';
import { layout, type PageOptions } from './layout.ts';

/** A page before the layout is added. */
export interface Page {
  options: PageOptions;
  content: readonly Part[];
}

export const page = (options: PageOptions, ...content: Part[]): Page => ({ options, content });

/** Renders a page as the response. */
export function render(ctx: PageContext, { options, content }: Page): void {
  ctx.type = 'html';
  ctx.body = layout(ctx, options, ...content);
}

/** Renders a page from its options and content. */
export function view(ctx: PageContext, options: PageOptions, ...content: Part[]): void {
  render(ctx, page(options, ...content));
}
