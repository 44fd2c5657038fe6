/** Exec, attach and port-forward over a WebSocket; and who may. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { createClient } from '@keelson/client';
import { sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { Pod } from '@keelson/core/v1';
import WebSocket from 'ws';
import { type Cluster, createCluster } from '../src/index.ts';
import { leapingClock } from './leaping-clock.ts';

interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: { readonly status?: string; readonly reason?: string };
}

describe('a session in a simulated container', () => {
  const clock = leapingClock();
  let cluster: Cluster;
  let door: Awaited<ReturnType<Cluster['listen']>>;

  before(async () => {
    cluster = createCluster({
      clock,
      node: { readyAfterMs: 0, stopAfterMs: 0 },
      tokens: new Map([['secret', { name: 'admin', groups: ['system:masters'] }]]),
    });
    await cluster.ready;
    door = await cluster.listen();
    const client = createClient({ transport: cluster.transport });
    const command = ['sh', '-c', 'sleep 3600; echo hello'];
    const containers = [
      { name: 'web', image: 'web:1' },
      { name: 'talk', image: 'web:1', command },
    ];
    const made = await client.create(Pod, {
      metadata: { namespace: 'default', name: 'a' },
      spec: { restartPolicy: 'Never', containers },
    });
    // The cluster's time is the machine's, and it needs turns of the event loop for its timers.
    for (let pod = made; pod.status.phase !== 'Running'; pod = await client.get(Pod, 'default/a')) {
      await sleep(systemClock, 5);
    }
  });
  after(async () => {
    await door?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const dial = (path: string, protocols: readonly string[] = ['v5.channel.k8s.io']): WebSocket => {
    const url = `${door.url.replace('https', 'wss')}/api/v1/namespaces/default/pods/a/${path}`;
    const headers = { authorization: 'Bearer secret' };
    return new WebSocket(url, [...protocols], { ca: door.certificateAuthority, headers });
  };

  const say = (path: string, stdin: readonly string[] = [], heard = () => {}): Promise<Said> =>
    new Promise((resolve, reject) => {
      const socket = dial(path);
      const texts = ['', '', '', ''];
      socket.on('message', (data: Buffer) => {
        texts[data[0] ?? 0] += data.subarray(1).toString();
        heard();
      });
      socket.on('open', () => {
        for (const each of stdin) socket.send(Buffer.concat([Buffer.of(0), Buffer.from(each)]));
        socket.send(Buffer.of(255, 0));
      });
      socket.on('close', () => {
        const [, stdout = '', stderr = '', status = '{}'] = texts;
        resolve({ stdout, stderr, status: JSON.parse(status || '{}') });
      });
      socket.on('error', reject);
    });

  test('attach shows what the container writes, until it ends', async () => {
    let isAttached = false;
    const { stdout, stderr, status } = await say('attach?container=talk&stdout=true&stderr=true', [], () => {
      if (!isAttached) clock.leap(3_600_000);
      isAttached = true;
    });
    assert.equal(stdout, 'hello\n');
    assert.match(
      stderr,
      /^The container talk of pod a is simulated: no process runs, and it takes no input; a test can/,
    );
    assert.equal(status.status, 'Success');
  });

  test('exec says in words what a simulated pod is, until a test answers', async () => {
    const path = 'exec?container=web&stdin=true&stdout=true&stderr=true&command=cat&command=-';
    const unanswered = await say(path);
    assert.match(
      unanswered.stderr,
      /^The container web of pod a is simulated: no process runs, and nothing can be run in it/,
    );
    assert.deepEqual(unanswered.status, {
      metadata: {},
      status: 'Failure',
      message: 'command terminated with non-zero exit code: exit status 126',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '126' }] },
    });
    cluster.pods.onExec(async ({ command, stdin, stdout }) => {
      stdout.write(`${command.join(' ')}:`);
      for await (const chunk of stdin) stdout.write(chunk);
      return 0;
    });
    assert.equal((await say(path, ['one ', 'two'])).stdout, 'cat -:one two');
    cluster.pods.onExec(() => {
      throw new Error('out of order');
    });
    assert.equal((await say(path)).status.reason, 'InternalError');
  });

  test('a message of more than a mebibyte ends the session', async () => {
    cluster.pods.onExec(async ({ stdin }) => {
      for await (const _ of stdin);
      return 0;
    });
    const socket = dial('exec?container=web&stdin=true&command=cat');
    await once(socket, 'open');
    socket.send(Buffer.alloc(2 ** 20 + 1));
    const [code] = await once(socket, 'close');
    assert.equal(code, 1009);
  });

  test('a caller that speaks none of our protocols is refused, and nothing runs', async () => {
    let runs = 0;
    cluster.pods.onExec(() => {
      runs += 1;
      return 0;
    });
    for (const protocols of [[], ['v9.channel.k8s.io'], ['xv5.channel.k8s.io']]) {
      const socket = dial('exec?container=web&stdout=true&command=ls', protocols);
      const [error] = await once(socket, 'error');
      assert.match(String(error), /Unexpected server response: 400/);
    }
    assert.equal(runs, 0);
    await once(dial('exec?container=web&stdout=true&command=ls', ['other', 'v4.channel.k8s.io']), 'close');
    assert.equal(runs, 1);
  });

  test('a container that does not run, and a request for something else, are refused', async () => {
    await assert.rejects(say('exec?container=talk&stdout=true&command=ls'), /Unexpected server response: 400/);
    await assert.rejects(say('exec?container=web&command=ls'), /Unexpected server response: 400/);
  });

  test('port-forward says in words that nothing listens, until a test answers, over a channel for each port', async () => {
    await assert.rejects(say('portforward?ports=80'), /Unexpected server response: 501/);
    cluster.pods.onPortForward(async ({ pod, port, input, output }) => {
      if (port !== 80) throw new Error('connection refused');
      for await (const chunk of input) {
        output.write(`${pod.metadata.name}:${Buffer.from(chunk)}`);
        return;
      }
    });
    const socket = dial('portforward?ports=80&ports=258', ['v4.channel.k8s.io']);
    const texts = ['', '', '', ''];
    socket.on('message', (data: Buffer) => {
      texts[data[0] ?? 0] += data.subarray(1).toString('latin1');
    });
    await once(socket, 'open');
    socket.send(Buffer.from('\0hello'));
    await once(socket, 'close');
    const failure = texts[3]?.replace(/uid [0-9a-f-]+/, 'uid UID');
    assert.deepEqual(
      [...texts.slice(0, 3), failure],
      ['P\0a:hello', 'P\0', '\x02\x01', '\x02\x01error forwarding port 258 to pod a, uid UID: connection refused'],
    );
    for (const path of ['portforward', 'portforward?ports=0', 'portforward?ports=web']) {
      const [error] = await once(dial(path, ['v4.channel.k8s.io']), 'error');
      assert.match(String(error), /Unexpected server response: 400/);
    }
  });

  test('what runs in a container ends with it', async () => {
    const client = createClient({ transport: cluster.transport });
    let isOver = false;
    cluster.pods.onPortForward(() => new Promise(() => {}));
    const forwarding = dial('portforward?ports=80', ['v4.channel.k8s.io']);
    const closed = once(forwarding, 'close');
    await once(forwarding, 'open');
    cluster.pods.onExec(async ({ signal }) => {
      signal.addEventListener('abort', () => {
        isOver = true;
      });
      await client.delete(Pod, 'default/a', { gracePeriodSeconds: 1 });
      return new Promise(() => {}); // as `tail -f` would
    });
    const { status } = await say('exec?container=web&stdout=true&command=tail');
    assert.equal(status.reason, 'NonZeroExitCode');
    assert.match(JSON.stringify(status), /exit status 137/);
    assert.ok(isOver);
    await closed;
  });
});
