/** What the simulated node is told about its pods, from the command line. */
import { readFile } from 'node:fs/promises';
import { type NodeOptions, podRules } from '@keelson/cluster';

export interface PodFlags {
  /** A file of rules. */
  readonly pods?: string;
  readonly images?: readonly string[];
}

/** Throws one sentence that names the file. */
export async function nodeOf({ pods: file, images }: PodFlags): Promise<NodeOptions> {
  if (file === undefined) return { images };
  try {
    const { parse } = await import('yaml'); // an eighth of the time in which a cluster starts
    return { images, pods: podRules(parse(await readFile(file, 'utf8'))) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} does not say what pods do: ${reason}`, { cause: error });
  }
}
