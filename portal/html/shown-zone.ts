import { AsyncLocalStorage } from 'node:async_hooks';
import { utc } from '../../domain/time-zones.ts';

const zones = new AsyncLocalStorage<string>();

/** Runs a function in which times are shown in this zone. */
export const inZone = <Result>(zone: string, work: () => Result): Result => zones.run(zone, work);

/** The zone in which times are currently shown. */
export const shownZone = (): string => zones.getStore() ?? utc;
