/** The definitions of an operator's kinds; those whose versions it converts say where it does. */
import { conversionClientConfig, type Operator, type WebhookPlace } from '@keelson/core';
import type { NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { crdOf } from '@keelson/schema';
import { installationOptions } from './installation-options.ts';
import type { OperatorModule } from './operator-module.ts';

export function definitionsAt(
  { operator, kinds }: Pick<OperatorModule, 'operator' | 'kinds'>,
  place: WebhookPlace & { readonly caBundle?: string | undefined },
): readonly NewCustomResourceDefinition[] {
  const { caBundle } = place;
  const conversion = { ...conversionClientConfig(operator, place), ...(caBundle !== undefined && { caBundle }) };
  return kinds.map((kind) => crdOf(kind, { conversion }));
}

/** As they are installed: an operator in its pods converts. */
export async function installedDefinitions(module: OperatorModule): Promise<readonly NewCustomResourceDefinition[]> {
  const { namespace = usualNamespace(module.operator) } = await installationOptions(module.place.folder);
  return definitionsAt(module, { namespace });
}

/** The namespace of an operator's pods unless another is chosen, as a Kubebuilder project has it. */
export const usualNamespace = ({ name }: Pick<Operator, 'name'>): string => `${name}-system`;
