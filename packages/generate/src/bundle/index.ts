export type { BundleIcon, BundleOptions } from './bundle.ts';
export { bundleFiles } from './bundle-files.ts';
export { type CatalogueOptions, catalogueFile } from './catalogue.ts';
export { iconTypes } from './vocabulary.ts';
export { type BundleWords, bundleWordsProblems } from './words.ts';
