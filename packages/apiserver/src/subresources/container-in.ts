/** Which container of a pod a request means. */
import type { Container, Pod } from '@keelson/core/v1';
import { badRequest } from '../status.ts';

/** The one that is named, or the only one; throws when that is none. */
export function containerIn({ metadata, spec }: Pod, wanted: string): string {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const all: readonly Pick<Container, 'name'>[] = [...initContainers, ...containers, ...ephemeralContainers];
  const names = all.map(({ name }) => name);
  if (wanted === '') {
    const [only, ...others] = containers;
    if (only !== undefined && others.length === 0) return only.name;
    throw badRequest(
      `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(' ')}]`,
    );
  }
  if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${metadata.name}`);
  return wanted;
}
