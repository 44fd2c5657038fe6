/**
 * `metadata.generation`: starts at one, and counts every change of what the object asks for, deletion being one.
 *
 * Which part of an object that is (its spec, for some kinds also annotations) is the kind's to say.
 */
import type { ObjectMeta } from '@keelson/core';
import { type ApiObject, withMetadata } from '../object.ts';

export const withFirstGeneration = (object: ApiObject): ApiObject => withMetadata(object, { generation: 1 });

export const withNextGeneration = (object: ApiObject, old: ApiObject): ApiObject =>
  withMetadata(object, { generation: (old.metadata.generation ?? 0) + 1 });

/** What the first request to delete does to it; kinds that do not count keep none. */
export const generationOfDeleted = ({ generation }: ObjectMeta): Partial<ObjectMeta> =>
  generation !== undefined && generation > 0 ? { generation: generation + 1 } : {};
