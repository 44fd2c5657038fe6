/**
 * Which Debian packages to fetch for some programs: the packages themselves, and the libraries under them.
 *
 * Only dependencies whose name begins with `lib` are followed: adduser, debconf, perl and their kind are for
 * installing, and nothing is installed. The C library stays out: mixing two of them in one process is fatal, and a
 * machine with apt-get has one.
 */

const neverFetched = new Set(['libc6', 'libgcc-s1']);

/** `dependencies` is what `apt-cache depends --recurse` prints. */
export function packageClosure(roots: readonly string[], dependencies: string): string[] {
  const graph = parseDependencies(dependencies);
  const chosen = new Set<string>();
  const pending = [...roots];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (chosen.has(name)) continue;
    chosen.add(name);
    pending.push(...(graph.get(name) ?? []).filter((next) => next.startsWith('lib') && !neverFetched.has(next)));
  }
  return [...chosen].sort();
}

/**
 * Blocks of a package's name and, indented, its dependencies. A leading bar marks an alternative, of which the
 * first is taken; a name in angle brackets is virtual, and no package.
 */
function parseDependencies(text: string): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  let current: string[] = [];
  let isFurtherAlternative = false;
  for (const line of text.split('\n')) {
    const [, bar, name] = /^ ([ |])(?:Pre)?Depends: ([^\s:]+)/.exec(line) ?? [];
    if (name !== undefined) {
      if (!isFurtherAlternative && !name.startsWith('<')) current.push(name);
      isFurtherAlternative = bar === '|';
    } else if (/^\S/.test(line)) {
      current = [];
      isFurtherAlternative = false;
      graph.set(line.trim(), current);
    }
  }
  return graph;
}
