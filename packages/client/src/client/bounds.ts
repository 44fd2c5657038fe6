/**
 * How much of an answer is read: no server fills our memory, whatever it sends.
 *
 * Streams have no end, so their bound is on what one line may hold (a watch), or on what may wait unread (a log).
 */
const MiB = 1024 * 1024;

/** What is read at once: one object, one page of a list, or anything else that is no kind (`getRaw`). */
export type AnswerKind = 'object' | 'page' | 'document';

export const maxBytesOf: Readonly<Record<AnswerKind | 'failure', number>> = {
  /** etcd stores 1.5 MiB, which JSON may make several times as long. */
  object: 16 * MiB,
  /** 500 objects of half a megabyte each. */
  page: 256 * MiB,
  /** The OpenAPI document of a cluster with many definitions has some 20 MiB. */
  document: 64 * MiB,
  /** More is not looked at. */
  failure: MiB,
};

const advice: Readonly<Record<AnswerKind, string>> = {
  object: "which no object is; does a proxy answer in the server's place?",
  page: 'which is too much for one page; ask for fewer objects at once (pageSize), or for less of each (metadataOf)',
  document: 'which is too much to be read at once; read it as a stream (streamRaw)',
};

export function tooLarge(kind: AnswerKind): string {
  return `the answer has more than ${maxBytesOf[kind] / MiB} MiB, ${advice[kind]}`;
}
