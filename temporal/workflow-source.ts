import { fileURLToPath } from 'node:url';

const pathOf = (module: string) =>
  fileURLToPath(new URL(`../workflows/${module}`, import.meta.url));
const workflowsPath = pathOf('index.ts');

/** What the workflow bundle is made of. */
export const workflowSource = {
  workflowsPath,
  workflowInterceptorModules: [pathOf('trace-header.ts')],
  /**
   * Evaluated once per thread instead of once per workflow. Modules of `workflows/` and `domain/`
   * therefore keep no state (docs/decisions/013).
   */
  preloadModules: [workflowsPath],
};
