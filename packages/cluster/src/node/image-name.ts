/** What the kubelet says to the name of an image that is none; `undefined` when it is one. */
export function whyInvalid(image: string): string | undefined {
  const slash = image.indexOf('/');
  const first = image.slice(0, slash);
  const hasDomain = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  const rest = hasDomain ? image.slice(slash + 1) : slash >= 0 ? image : `library/${image}`;
  const [path = ''] = rest.split(':', 1);
  const problem = (what: string) =>
    `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format${what}`;
  if (path.toLowerCase() !== path) return problem(`: repository name (${path}) must be lowercase`);
  const isDomain =
    !hasDomain || /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[a-fA-F0-9:]+\])(?::\d+)?$/.test(first);
  return isDomain && reference.test(rest) ? undefined : problem('');
}

const component = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*';
const reference = new RegExp(
  `^${component}(?:/${component})*(?::\\w[\\w.-]{0,127})?(?:@[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-fA-F]{32,})?$`,
);
