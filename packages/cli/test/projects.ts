/** Small projects in a temporary folder, with an operator each. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

export interface Projects extends AsyncDisposable {
  readonly root: string;
  /** Writes a file below the root, and gives its path. */
  write(path: string, text: string): Promise<string>;
}

/** They find the packages of this checkout. */
export async function createProjects(): Promise<Projects> {
  const root = await mkdtemp(join(tmpdir(), 'keelson-projects-'));
  await symlink(modules, join(root, 'node_modules'));
  return {
    root,
    async write(path, text) {
      const file = join(root, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

export interface WebsiteSource {
  /** The group of its kind, so that two tests do not meet. */
  readonly group: string;
  /** Fields of the spec beside `size`, as zod. */
  readonly fields?: string;
  /** What it writes into a ConfigMap of the object's name. */
  readonly text?: string;
  /** The size from which on a webhook refuses it; without, there is no webhook. */
  readonly tooLarge?: number;
  /** Whether it is meant for several replicas. */
  readonly leaderElection?: boolean;
}

/** The module of an operator whose `Website` becomes a ConfigMap. */
export const websiteSource = ({
  group,
  fields = '',
  text = 'first',
  tooLarge,
  leaderElection = false,
}: WebsiteSource) => `
import { operator } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { controller, done, webhook } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

const Website = defineKind({
  group: '${group}',
  kind: 'Website',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ size: z.int32().default(1), ${fields} }) } },
});
export const website = operator({
  name: 'website',
  leaderElection: ${leaderElection},
  webhooks: [${tooLarge === undefined ? '' : webhookSource(tooLarge)}],
  controllers: [
    controller({
      for: Website,
      owns: [ConfigMap],
      async reconcile({ metadata: { name } }, { owned }) {
        await owned.apply(ConfigMap, { metadata: { name }, data: { text: '${text}' } });
        return done;
      },
    }),
  ],
});
`;

const webhookSource = (tooLarge: number) => `webhook(Website, {
    validate: ({ object }) =>
      object.spec.size < ${tooLarge} ? [] : [{ field: ({ spec }) => spec.size, message: 'is too large' }],
  })`;

/** The package.json that names it. */
export const websiteManifest = '{ "type": "module", "keelson": { "operator": "./src/operator.ts" } }';
