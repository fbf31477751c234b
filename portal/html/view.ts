import type { PageContext } from '../context.ts';
import type { Part } from './html.ts';
import { layout, type PageOptions } from './layout.ts';

/** Answers with a page. */
export function view(ctx: PageContext, options: PageOptions, ...content: Part[]): void {
  ctx.type = 'html';
  ctx.body = layout(ctx, options, ...content);
}
