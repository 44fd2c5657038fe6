/** Where the documents, the generated types and the generated schemas are. */
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const documentsFolder = `${root}packages/apiserver/openapi`;
export const typesFolder = `${root}packages/core/src/generated`;
export const schemasFolder = `${root}packages/schema/src/generated`;
