/** Where the documents and the generated types are. */
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const documentsFolder = `${root}packages/apiserver/openapi`;
export const outputFolder = `${root}packages/core/src/generated`;
