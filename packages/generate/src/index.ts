export { generateFiles } from './generate-files.ts';
export { type GeneratedFile, isGenerated } from './generated-file.ts';
export type { ChartMaintainer, ChartWords, GenerateOptions } from './installation.ts';
