/**
 * What the operator of 18cf244, which knew v1alpha1 alone, had on a cluster: its definition, Memcacheds of simple and
 * tuned shapes, and what it made for each. It is never written anew, unlike a golden.
 */
import { readFileSync } from 'node:fs';
import type { JsonObject } from '@keelson/core';
import type { NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import type { NewDeployment } from '@keelson/core/apps/v1';
import type { NewPodDisruptionBudget } from '@keelson/core/policy/v1';
import type { NewService } from '@keelson/core/v1';

interface Earlier {
  readonly definition: NewCustomResourceDefinition;
  readonly memcacheds: readonly {
    readonly name: string;
    /** In v1alpha1. */
    readonly spec: JsonObject & { readonly size: number };
    readonly deployment: NewDeployment;
    readonly service: NewService;
    readonly podDisruptionBudget: NewPodDisruptionBudget;
  }[];
}

export const earlier = JSON.parse(
  readFileSync(new URL('./earlier/v1alpha1-alone.json', import.meta.url), 'utf8'),
) as Earlier;
