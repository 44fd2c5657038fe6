/** Which updates matter: predicates say when a Site is looked at. What comes and what goes always matters. */
import { and, changed, generationChanged, not, operator, or, own, type Predicate } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Site = defineKind({
  group: 'predicates.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ page: z.string() }) } },
});

/** Who was looked at. */
export const passes: string[] = [];

const asked = changed(({ metadata }) => metadata.annotations?.['example.com/refresh']);
const isPaused: Predicate = ({ metadata }) => metadata.labels?.paused === 'true';

const sites = controller({
  for: Site,
  when: and(or(generationChanged, asked), not(isPaused)), // not for a label, another annotation or a status
  owns: [own(ConfigMap, { when: changed(({ data }) => data) })], // nor for annotations of what we own
  async reconcile({ metadata: { name }, spec: { page } }, { owned }) {
    passes.push(name);
    await owned.apply(ConfigMap, { metadata: { name }, data: { page } });
    return done;
  },
});

export const quietOperator = operator({ name: 'quiet-operator', controllers: [sites] });
if (import.meta.main) await run(quietOperator);
