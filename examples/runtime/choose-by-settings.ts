/** What those who run it may choose: `node choose-by-settings.ts --registry registry.local --pull-always`, or `--help`. */
import { operator } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const App = defineKind({
  group: 'settings.example.com',
  kind: 'App',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ image: z.string() }) } },
});

const settings = z.object({
  registry: z.string().min(1).describe('Where images come from.'),
  pullAlways: z.boolean().default(false).describe('Look for a newer image at each start.'),
});

const apps = controller({
  for: App,
  owns: [Deployment],
  settings, // who names them is given them, checked and typed
  async reconcile({ metadata: { name }, spec }, { owned, settings: { registry, pullAlways } }) {
    const labels = { app: name };
    const image = `${registry}/${spec.image}`;
    const container = { name: 'app', image, imagePullPolicy: pullAlways ? 'Always' : 'IfNotPresent' } as const;
    const template = { metadata: { labels }, spec: { containers: [container] } };
    await owned.apply(Deployment, { metadata: { name }, spec: { selector: { matchLabels: labels }, template } });
    return done;
  },
});

export const appOperator = operator({ name: 'app-operator', controllers: [apps], settings });
if (import.meta.main) await run(appOperator);
