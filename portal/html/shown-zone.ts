import { AsyncLocalStorage } from 'node:async_hooks';
import { utc } from '../../domain/time-zones.ts';

const zones = new AsyncLocalStorage<string>();

/** Does something for whoever is shown times in this zone. */
export const inZone = <Result>(zone: string, work: () => Result): Result => zones.run(zone, work);

/** The zone in which times are shown now. */
export const shownZone = (): string => zones.getStore() ?? utc;
