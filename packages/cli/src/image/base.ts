/** What an operator's layers stand on: layers with Node in them, and how it is started. */
import type { Layer } from './layer.ts';

export interface Base {
  readonly layers: readonly Layer[];
  /** Variables, each as `NAME=value`. */
  readonly env: readonly string[];
  /** The program of Node in it. */
  readonly node: string;
  /** What is in it, as far as that is known: for the bill of materials. */
  readonly packages: readonly BasePackage[];
}

export interface BasePackage {
  readonly name: string;
  /** For an image, its digest. */
  readonly version: string;
  /** Where such packages come from, in the words of package URLs. */
  readonly purl: 'npm' | 'deb' | 'oci' | 'generic';
  readonly license?: string | undefined;
  readonly architecture?: string | undefined;
}
