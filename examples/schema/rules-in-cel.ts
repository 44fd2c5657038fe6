/** Rules in CEL: judged when the kind is defined, enforced by the API server. */
import { crdOf, defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { compileStructural } from '@keelson/schema/validation';
import { z } from 'zod';

const volume = (...rules: Parameters<typeof rule>[]) =>
  defineKind({
    group: 'storage.example.com',
    kind: 'Volume',
    hub: 'v1',
    versions: {
      v1: {
        storage: true,
        spec: z.object({ size: z.int32(), used: z.int32().default(0) }).meta({
          'x-kubernetes-validations': rules.map((each) => rule(...each)),
        }),
      },
    },
  });

const Volume = volume(
  ['self.used <= self.size', { message: 'more is used than there is' }],
  ['self.size >= oldSelf.size', { message: 'a volume never shrinks' }],
);

// What the API server will say, asked without one.
const schema = compileStructural(crdOf(Volume).spec.versions[0]?.schema?.openAPIV3Schema ?? {});
const problems = schema.validate({ spec: { size: 2, used: 3 } }, { spec: { size: 5, used: 3 } });
for (const { field, message } of problems) console.log(`${field}: ${message}`);

try {
  volume(['self.sise > 0']); // refused here, not when the CRD is installed
} catch (error) {
  console.log((error as Error).message.split('\n')[1]);
}
