/** Why a node does not get an image: what the kubelet says, without what it says twice, and what to do about it. */

export interface PullFailure {
  /** Such as `not found`. */
  readonly why: string;
  readonly next: string;
}

/** The layers of a kubelet's message, from the outermost; each names the image once more. */
const wrappings = [
  /^Back-off pulling image "[^"]*":?\s*/,
  /^(ErrImagePull|ImagePullBackOff|RegistryUnavailable):\s*/,
  /^failed to pull image "[^"]*":\s*/,
  /^rpc error: code = \w+ desc = /,
  /^failed to pull and unpack image "[^"]*":\s*/,
  /^failed to resolve (reference|image) "[^"]*":\s*/,
  /^failed to do request: \w+ "[^"]*":\s*/,
  /^failed to (copy|authorize|fetch \w+ token):\s*/,
];

/** A registry that this machine reaches, and a node seldom does. */
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])[:/]/;

/** The first that fits says what to do. */
const remedies: readonly (readonly [sign: RegExp, next: (image: string) => string])[] = [
  [
    /not found|manifest unknown|name unknown/i,
    (image) => `push it first, with --build or "keelson image push ${image}"`,
  ],
  [
    /denied|unauthorized|authoriz|authentic|401|403/i,
    () => 'nodes have credentials of their own: name imagePullSecrets by a patch in config/default',
  ],
  [/HTTP response to HTTPS/i, () => 'nodes speak HTTPS to it, unless the settings of their containerd say otherwise'],
  [
    /no such host|refused|reset by peer|timeout|unreachable|deadline|EOF/i,
    (image) =>
      loopback.test(image)
        ? 'on a node that address is the node itself; nodes have to reach the registry, under its name in the image'
        : 'nodes have to reach that registry, under that name',
  ],
];

export function pullFailure(image: string, { reason, message }: Record<'reason' | 'message', string>): PullFailure {
  let why = message.trim();
  for (let before = ''; before !== why; ) {
    before = why;
    for (const each of wrappings) why = why.replace(each, '');
    if (why.startsWith(`${image}: `)) why = why.slice(image.length + 2);
  }
  why ||= reason === 'InvalidImageName' ? 'that is no name of an image' : reason;
  const [, next] = remedies.find(([sign]) => sign.test(why)) ?? [];
  return { why, next: next?.(image) ?? 'see that the nodes can pull it under this name' };
}
