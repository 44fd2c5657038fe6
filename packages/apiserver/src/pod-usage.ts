/** The way from the server to what pods use, which a metrics server would measure. */
import type { Pod } from '@keelson/core/v1';

/** What each container of a pod uses, such as `{ web: { cpu: '250m' } }`; `undefined` when nothing is known. */
export type PodUsage = (pod: Pod) => Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
