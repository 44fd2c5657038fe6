/** A kind of the project's own: its definition, and a sample of it. */

import { fileNameOf, type KindNames } from './names.ts';
import type { ScaffoldFile } from './scaffold-file.ts';
import { property, quoted } from './text.ts';

/** Does nothing, without any rights, on every machine. */
export const defaultImage = 'registry.k8s.io/pause:3.10';

/** Where a kind is defined. */
export const kindPath = (kind: string): string => `src/api/${fileNameOf(kind)}.ts`;

/** As Kubebuilder calls it: the first label of the group, the version, the kind. */
export const samplePath = ({ group, version, kind }: KindNames): string =>
  `config/samples/${group.split('.')[0]}_${version}_${kind.toLowerCase()}.yaml`;

export function kindFiles(names: KindNames, image: string): readonly ScaffoldFile[] {
  return [
    { path: kindPath(names.kind), text: definition(names) },
    { path: samplePath(names), text: sample(names, image) },
  ];
}

function definition({ group, version, kind, plural }: KindNames): string {
  return `/** ${kind}: what users write and what they are told. Types, CRD, defaults and validation follow from this value. */
import type { ObjectOf, StatusInputOf } from '@keelson/core';
import { conditions, defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';

export const ${kind} = defineKind({
  group: ${quoted(group)},
  kind: ${quoted(kind)},${plural === undefined ? '' : `\n  plural: ${quoted(plural)},`}
  description: 'Pods that run an image.',
  hub: ${quoted(version)},
  versions: {
    ${property(version)}: {
      storage: true,
      spec: z.object({
        image: z.string().min(1).describe('The image that the pods run.'),
        replicas: z.int32().min(0).max(10).default(1).describe('How many pods run.'),
      }),
      status: z.object({
        readyReplicas: z.int32().describe('How many pods are ready.'),
        conditions: conditions('Available'),
      }),
      printerColumns: [
        { name: 'Replicas', jsonPath: '.spec.replicas' },
        { name: 'Ready', jsonPath: '.status.readyReplicas' },
      ],
    },
  },
  rules: [rule('self.metadata.name.size() <= 63', { message: 'a name becomes the value of a label: 63 characters' })],
});

/** As it is read: stored, with defaults. */
export type ${kind} = ObjectOf<typeof ${kind}>;

/** The status as the controller states it. */
export type ${kind}Status = StatusInputOf<typeof ${kind}>;
`;
}

function sample({ group, version, kind }: KindNames, image: string): string {
  return `apiVersion: ${group}/${version}
kind: ${kind}
metadata:
  name: ${kind.toLowerCase().slice(0, 56)}-sample
spec:
  image: ${JSON.stringify(image)}
  replicas: 3
`;
}
