/** The kind Memcached `cache.example.com`: its versions, and its types as the operator sees them. */
import type { InputOf, ObjectOf, StatusInputOf } from '@keelson/core';
import { defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { conversion } from './conversion.ts';
import { v1 } from './v1.ts';
import { v1alpha1 } from './v1alpha1.ts';

export const Memcached = defineKind({
  group: 'cache.example.com',
  kind: 'Memcached',
  description: 'Memcached runs a number of Memcached servers and tells where and how they are.',
  hub: 'v1',
  versions: { v1, v1alpha1 },
  conversions: { v1alpha1: conversion },
  rules: [
    rule('self.metadata.name.size() <= 63', {
      message: 'metadata.name may have at most 63 characters, because it becomes the value of a label',
    }),
    rule("self.metadata.name.matches('^[a-z][-a-z0-9]*$')", {
      message: 'metadata.name must begin with a letter and have no dot, because it becomes the name of a Service',
    }),
  ],
});

/** As read: stored and defaulted. */
export type Memcached = ObjectOf<typeof Memcached>;

/** As written: `spec.size` may be absent. */
export type NewMemcached = InputOf<typeof Memcached>;

/** The status as the operator states it. */
export type MemcachedStatus = StatusInputOf<typeof Memcached>;
