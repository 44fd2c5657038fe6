export type { PatchSchema } from './patch-schema.ts';
export { patchSchemaFromOpenApi } from './patch-schema.ts';
export { strategicMergePatch } from './strategic.ts';
export { StrategicPatchError } from './strategic-error.ts';
