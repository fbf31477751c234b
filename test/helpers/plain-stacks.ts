import { setSourceMapsSupport } from 'node:module';

/**
 * Loaded by ava before a test's own file: there is nothing to map, since Node reads our TypeScript as it
 * is, and to look for maps costs every test process a third of the time it takes to load.
 */
setSourceMapsSupport(false);
