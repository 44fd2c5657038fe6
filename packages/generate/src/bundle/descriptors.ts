/**
 * Descriptors: how a console shows the fields of a kind, from its schema.
 *
 * There is one for each field of `spec` and `status`, and one more for each field of an object in there if all of them
 * are simple: a console shows an Affinity or a list as a whole. Operator SDK misses the object's own if it has none.
 */
import type { CustomResourceDefinitionVersion, JSONSchemaProps } from '@keelson/core/apiextensions/v1';

/** How one field is shown. */
export interface Descriptor {
  readonly path: string;
  readonly displayName: string;
  readonly description?: string | undefined;
  readonly 'x-descriptors'?: readonly string[] | undefined;
}

const ui = 'urn:alm:descriptor:com.tectonic.ui';
const kubernetes = 'urn:alm:descriptor:io.kubernetes';

/** The descriptors of a version's spec or status. */
export function descriptorsOf(
  { schema, subresources }: CustomResourceDefinitionVersion,
  part: 'spec' | 'status',
): readonly Descriptor[] {
  const replicas = subresources?.scale?.specReplicasPath;
  const widgets = (path: string, field: JSONSchemaProps): readonly string[] => {
    if (part === 'status') return statusWidgets(path, field);
    return replicas === `.spec.${path}` ? [`${ui}:podCount`] : specWidgets(field);
  };
  const fields = Object.entries(schema?.openAPIV3Schema?.properties?.[part]?.properties ?? {});
  return fields.flatMap(([name, field]) => {
    const inner = Object.entries(field.properties ?? {});
    const isWhole = !inner.every(([, each]) => isSimple(each));
    const parts = isWhole ? [] : inner.map(([own, each]) => [`${name}.${own}`, each] as const);
    return [[name, field] as const, ...parts].map(([path, each]) => descriptorOf(path, each, widgets(path, each)));
  });
}

function descriptorOf(path: string, { description }: JSONSchemaProps, widgets: readonly string[]): Descriptor {
  return {
    path,
    displayName: titleOf(path.slice(path.lastIndexOf('.') + 1)),
    ...(description !== undefined && { description }),
    ...(widgets.length > 0 && { 'x-descriptors': widgets }),
  };
}

const isSimple = ({ type, 'x-kubernetes-int-or-string': either }: JSONSchemaProps): boolean =>
  either === true || ['string', 'integer', 'number', 'boolean'].includes(type ?? '');

function specWidgets(field: JSONSchemaProps): readonly string[] {
  const { type, enum: choices, properties = {} } = field;
  if (choices !== undefined) return choices.map((choice) => `${ui}:select:${String(choice)}`);
  if ('limits' in properties && 'requests' in properties) return [`${ui}:resourceRequirements`];
  if (type === 'boolean') return [`${ui}:booleanSwitch`];
  if (type === 'integer' || type === 'number') return [`${ui}:number`];
  return isSimple(field) ? [`${ui}:text`] : [];
}

function statusWidgets(path: string, field: JSONSchemaProps): readonly string[] {
  if (path === 'conditions') return [`${kubernetes}.conditions`];
  if (path === 'phase') return [`${kubernetes}.phase`];
  return isSimple(field) ? [`${ui}:text`] : [];
}

/** `memoryLimit` and `MemoryLimit` as `Memory Limit`. */
export function titleOf(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
