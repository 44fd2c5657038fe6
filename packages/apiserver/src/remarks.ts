/** What the one who runs a server has to say on the objects that are written to it. */
import type { ApiObject } from './object.ts';

/**
 * Warnings for whoever writes `object`, of the resource with this name (`pods`, `networkpolicies.networking.k8s.io`).
 * `old` is what it was before; absent, it is new.
 */
export type Remarks = (resource: string, object: ApiObject, old?: ApiObject) => readonly string[];
