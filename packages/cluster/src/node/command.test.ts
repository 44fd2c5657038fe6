import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programOf } from './command.ts';

const of = (...command: string[]) => programOf({ name: 'a', command });
const ends = (exitCode: number, runsForMs = 0, ...output: { afterMs: number; text: string }[]) => ({
  output,
  runsForMs,
  exitCode,
});
const says = (text: string, afterMs = 0) => ({ afterMs, text });

test('echo writes, sleep takes its time, exit has its code', () => {
  const cases = [
    [of('echo', 'hello', 'world'), ends(0, 0, says('hello world\n'))],
    [of('/bin/echo', '-n', 'hello'), ends(0, 0, says('hello'))],
    [of('sleep', '90'), ends(0, 90_000)],
    [of('sleep', '1.5m'), ends(0, 90_000)],
    [of('sleep', 'infinity'), ends(0, Number.POSITIVE_INFINITY)],
    [of('false'), ends(1)],
    [of('/bin/true'), ends(0)],
    [
      of('sh', '-c', 'echo one; sleep 2; echo "and two"; exit 3'),
      ends(3, 2000, says('one\n'), says('and two\n', 2000)),
    ],
    [of('/bin/sh', '-c', 'exit 1'), ends(1)],
    [of('bash', '-ec', 'false\necho never'), ends(1)],
    [of('sh', '-c', 'false && echo no || echo yes'), ends(0, 0, says('yes\n'))],
    [of('sh', '-c', "echo 'a;b'"), ends(0, 0, says('a;b\n'))],
    [of('sh', '-c', 'exit'), ends(0)],
    [of('sh', '-c', 'echo one; exec sleep 5; echo never'), ends(0, 5000, says('one\n'))],
    [of('echo', 'a $$(HOME) $$ $(NOBODY)'), ends(0, 0, says('a $(HOME) $ $(NOBODY)\n'))],
  ] as const;
  for (const [actual, expected] of cases) assert.deepEqual(actual, expected);
});

test('arguments belong to the command, and name variables of the container', () => {
  const container = {
    name: 'a',
    command: ['echo'],
    args: ['$(WHO)', '$(NOBODY)'],
    env: [{ name: 'WHO', value: 'me' }],
  };
  assert.deepEqual(programOf(container), ends(0, 0, says('me $(NOBODY)\n')));
});

test('of anything else nothing is known', () => {
  const unknown = [
    of('memcached', '-m', '64'),
    of('sh', '-c', 'while true; do sleep 1; done'),
    of('sh', '-c', 'echo $HOME'),
    of('sh', '-c', 'cat /etc/passwd | sort'),
    of('sh', '-c', 'echo a > /tmp/a'),
    of('sh', 'script.sh'),
    of('sleep', 'well'),
    programOf({ name: 'a' }),
    programOf({ name: 'a', args: ['echo', 'of the image’s own program'] }),
  ];
  for (const each of unknown) assert.equal(each, undefined);
});
