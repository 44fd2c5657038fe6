/** What is said of a whole kind: names, versions, subresources, columns; and fields of built-in types. */
import { conditions } from '@keelson/schema';
import { IntOrString, LabelSelector, Quantity } from '@keelson/schema/meta/v1';
import { rule } from '@keelson/schema/rules';
import { PodTemplateSpec, ResourceRequirements, Toleration } from '@keelson/schema/v1';
import { z } from 'zod';
import { definition, field, type MarkedKind } from './marked-kind.ts';

const size = z.object({ size: z.int32().default(1) });
const status = z.object({ size: z.int32(), selector: z.string(), conditions: conditions('Ready') });
const k = 'kubebuilder';

const names: readonly MarkedKind[] = [
  definition(
    'names of its own, in a group and a version',
    [`${k}:resource`, 'groupName', 'versionName', `${k}:object:root`],
    { plural: 'mice', singular: 'mouse', shortNames: ['mc'], categories: ['animals'], kind: 'Mouse' },
    {
      metadata: { name: 'mice.markers.example.com' },
      spec: {
        group: 'markers.example.com',
        names: { plural: 'mice', singular: 'mouse', kind: 'Mouse', shortNames: ['mc'], categories: ['animals'] },
        versions: [{ name: 'v1' }],
      },
    },
  ),
  definition('no namespace', [`${k}:resource`], { scope: 'Cluster' }, { spec: { scope: 'Cluster' } }),
  definition(
    'labels and annotations of the definition itself',
    [`${k}:metadata`],
    { metadata: { labels: { team: 'a' }, annotations: { 'example.com/owner': 'b' } } },
    { metadata: { labels: { team: 'a' }, annotations: { 'example.com/owner': 'b' } } },
  ),
];

const versions: readonly MarkedKind[] = [
  definition(
    'several versions, one stored, one deprecated, one not served',
    [`${k}:storageversion`, `${k}:deprecatedversion`, `${k}:unservedversion`],
    {
      hub: 'v2',
      versions: {
        v1alpha1: { served: false, spec: size },
        v1: { deprecated: 'use v2', spec: size },
        v2: { storage: true, spec: z.object({ size: z.int32().max(9).default(1) }) },
      },
    },
    {
      spec: {
        versions: [
          { name: 'v1alpha1', served: false, storage: false },
          { name: 'v1', served: true, deprecated: true, deprecationWarning: 'use v2' },
          { name: 'v2', storage: true },
        ],
      },
    },
  ),
  definition(
    'a status',
    [`${k}:subresource:status`],
    { versions: { v1: { storage: true, spec: size, status } } },
    { spec: { versions: [{ subresources: { status: {} } }] } },
  ),
  definition(
    'a scale',
    [`${k}:subresource:scale`],
    {
      versions: {
        v1: {
          storage: true,
          spec: z.object({ size: z.int32().min(0).default(1) }),
          status,
          subresources: {
            scale: {
              specReplicasPath: '.spec.size',
              statusReplicasPath: '.status.size',
              labelSelectorPath: '.status.selector',
            },
          },
        },
      },
    },
    { spec: { versions: [{ subresources: { scale: { labelSelectorPath: '.status.selector' } } }] } },
  ),
  definition(
    'columns',
    [`${k}:printcolumn`],
    {
      versions: {
        v1: {
          storage: true,
          spec: size,
          printerColumns: [
            { name: 'Size', jsonPath: '.spec.size', description: 'How many.', format: 'int32', priority: 1 },
          ],
        },
      },
    },
    {
      spec: {
        versions: [{ additionalPrinterColumns: [{ name: 'Size', type: 'integer', priority: 1 }, { name: 'Age' }] }],
      },
    },
  ),
  definition(
    'fields that selectors may name',
    [`${k}:selectablefield`],
    { versions: { v1: { storage: true, spec: size, selectableFields: ['.spec.size'] } } },
    { spec: { versions: [{ selectableFields: [{ jsonPath: '.spec.size' }] }] } },
  ),
  definition(
    'rules on the whole object',
    [`${k}:validation:XValidation`],
    { rules: [rule('self.metadata.name.size() < 12 && self.spec.size < 7', { message: 'too much' })] },
    {
      spec: { versions: [{ schema: { openAPIV3Schema: { 'x-kubernetes-validations': [{ message: 'too much' }] } } }] },
    },
  ),
];

const builtIn: readonly MarkedKind[] = [
  field('a pod template', [], PodTemplateSpec, { type: 'object', properties: { spec: { required: ['containers'] } } }),
  field('resources of containers', [], ResourceRequirements, { type: 'object' }),
  field('tolerations', [], z.array(Toleration), { type: 'array' }),
  field('a label selector', [], LabelSelector, { 'x-kubernetes-map-type': 'atomic' }),
  field('a quantity', [], Quantity, { 'x-kubernetes-int-or-string': true }),
  field('a port by number or name', [], IntOrString, { 'x-kubernetes-int-or-string': true }),
];

export const definitionKinds = [...names, ...versions, ...builtIn];
