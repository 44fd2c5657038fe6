/** Namespaces: their label, their own finalizers, and the phase in which they end. */
import { invalidValue, labelProblems, orPrefix, type Problem, qualifiedNameProblems } from '@keelson/schema/validation';
import { type ApiObject, at, type JsonObject, put, withMetadata } from '../../../object.ts';
import { namespaceTable } from '../tables/core.ts';
import { change, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';

const finalizersOf = (object: ApiObject): readonly string[] =>
  (at(object, 'spec', 'finalizers') as readonly string[] | undefined) ?? [];

/** Every namespace can be selected by its name. */
const labelled = (object: ApiObject): ApiObject => {
  const { name, labels } = object.metadata;
  if (!name || labels?.['kubernetes.io/metadata.name'] === name) return object;
  return withMetadata(object, { labels: { ...labels, 'kubernetes.io/metadata.name': name } });
};

function finalizerProblems(object: ApiObject): readonly Problem[] {
  return finalizersOf(object).flatMap((finalizer) => [
    ...qualifiedNameProblems(finalizer).map((problem) => invalidValue('spec.finalizers', finalizer, problem)),
    ...(finalizer.includes('/') || ['kubernetes', 'orphan', 'foregroundDeletion'].includes(finalizer)
      ? []
      : [
          invalidValue(
            'spec.finalizers',
            finalizer,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ]),
  ]);
}

export const namespace: KindRules = {
  default: (object) =>
    change(fill(labelled(object), { status: {} }), 'status', (status) => fill(status, { phase: 'Active' })),
  prepareForCreate(object) {
    const finalizers = finalizersOf(object);
    const active: ApiObject = { ...labelled(object), status: { phase: 'Active' } };
    return finalizers.includes('kubernetes')
      ? active
      : put(active, ['spec', 'finalizers'], [...finalizers, 'kubernetes']);
  },
  prepareForUpdate: (object, old) => put(labelled(object), ['spec', 'finalizers'], at(old, 'spec', 'finalizers')),
  validate: finalizerProblems,
  validateStatus(object) {
    const phase = at(object, 'status', 'phase');
    const expected = object.metadata.deletionTimestamp ? 'Terminating' : 'Active';
    if (phase === expected) return [];
    const state = expected === 'Active' ? 'empty' : 'not empty';
    return [invalidValue('status.Phase', phase, `may only be '${expected}' if \`deletionTimestamp\` is ${state}`)];
  },
  nameProblems: orPrefix(labelProblems),
  returnsDeleted: true,
  markDeleted: (object, now) =>
    object.metadata.deletionTimestamp
      ? undefined
      : {
          ...withMetadata(object, { deletionTimestamp: now }),
          status: { ...(object.status as JsonObject), phase: 'Terminating' },
        },
  isFinalized: (object) => finalizersOf(object).length === 0,
  fields: {
    'status.phase': (object) => String(at(object, 'status', 'phase') ?? ''),
    name: (object) => object.metadata.name ?? '',
  },
  shortUnknownField: true,
  table: namespaceTable,
};
