export { generateFiles } from './generate-files.ts';
export { type GeneratedFile, isGenerated } from './generated-file.ts';
export type { GenerateOptions } from './installation.ts';
