/** What `keelson image` is told. */
import type { OperatorFlags } from '../flags.ts';

export interface ImageFlags extends OperatorFlags {
  readonly base: string;
  readonly platform: string;
  readonly nodeVersion?: string;
  readonly freshBase?: boolean;
  /** The one registry to which HTTP is spoken. */
  readonly plainHttp?: string;
}

export interface ImageBuildFlags extends ImageFlags {
  readonly tag?: string;
  readonly output: 'oci-dir' | 'docker-archive';
  readonly to?: string;
}
