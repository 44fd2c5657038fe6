/** The machines that an image is for, and what they are called elsewhere. */

export interface Platform {
  readonly os: 'linux';
  readonly architecture: 'amd64' | 'arm64';
}

export const platforms: readonly Platform[] = [
  { os: 'linux', architecture: 'amd64' },
  { os: 'linux', architecture: 'arm64' },
];

/** How Node calls it, and the npm package of its program. */
export const nodeArchitecture = ({ architecture }: Platform): 'x64' | 'arm64' =>
  architecture === 'amd64' ? 'x64' : architecture;

export const platformName = ({ os, architecture }: Platform): string => `${os}/${architecture}`;
