/**
 * Removes what a case has made, whatever state it was left in, and says what could not be removed.
 */
import type { Api } from './api.ts';

interface Cleaner {
  readonly api: Api;
  readonly hasControllers: Promise<boolean>;
}

/** Paths in the order of their making; the last is removed first. */
export async function cleanUp(cleaner: Cleaner, paths: readonly string[]): Promise<string[]> {
  const { api } = cleaner;
  const left: string[] = [];
  for (const path of [...new Set(paths)].reverse()) {
    try {
      const problem = await remove(path);
      if (problem !== undefined) left.push(`${path}: ${problem}`);
    } catch (error) {
      left.push(`${path}: ${error}`);
    }
  }
  return left;

  async function remove(path: string): Promise<string | undefined> {
    const query = { gracePeriodSeconds: 0, propagationPolicy: 'Background' };
    const deleted = await api.send('DELETE', path, { query });
    if (deleted.status === 404) return undefined;
    if (deleted.status >= 300 && deleted.status !== 409) return deleted.text;
    if (/^\/api\/v1\/namespaces\/[^/]+$/.test(path)) return await finalizeNamespace(path);
    // The server itself empties and removes a CustomResourceDefinition; taking its finalizer would leave the objects.
    if (path.startsWith('/apis/apiextensions.k8s.io/')) return undefined;
    if (!deleted.text.includes('"finalizers"')) return undefined;
    const freed = await api.send('PATCH', path, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { finalizers: null } },
    });
    return freed.status === 200 || freed.status === 404 ? undefined : freed.text;
  }

  /** Where no controller does so, an emptied namespace has to be let go by hand. */
  async function finalizeNamespace(path: string): Promise<string | undefined> {
    if (await cleaner.hasControllers) return undefined;
    const present = await api.send('GET', path);
    if (present.status === 404) return undefined;
    const body = { ...present.is(200), spec: { finalizers: [] } };
    const finalized = await api.send('PUT', `${path}/finalize`, { body });
    return finalized.status === 200 || finalized.status === 404 ? undefined : finalized.text;
  }
}
