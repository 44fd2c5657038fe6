/** All marked kinds. */
import { definitionKinds } from './definitions.ts';
import { fieldKinds } from './fields.ts';
import type { MarkedKind } from './marked-kind.ts';
import { validationKinds } from './validation.ts';

export const markedKinds: readonly MarkedKind[] = [...validationKinds, ...fieldKinds, ...definitionKinds];
