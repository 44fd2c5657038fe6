import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { isProxyUrl, proxyFromEnvironment } from './proxy.ts';

const proxy = 'http://proxy.example:3128';

describe('the environment names a proxy', () => {
  const cases: readonly [string, Record<string, string>, string, string | undefined][] = [
    ['for https', { HTTPS_PROXY: proxy }, 'https://api.example:6443', proxy],
    ['for http, by another variable', { HTTP_PROXY: proxy, HTTPS_PROXY: 'http://no' }, 'http://api.example', proxy],
    ['and lower case wins', { https_proxy: proxy, HTTPS_PROXY: 'http://no' }, 'https://api.example', proxy],
    ['unless it is empty', { https_proxy: '', HTTPS_PROXY: proxy }, 'https://api.example', proxy],
    ['without a scheme', { HTTPS_PROXY: 'proxy.example:3128' }, 'https://api.example', proxy],
    ['by name alone', { HTTPS_PROXY: 'proxy' }, 'https://api.example', 'http://proxy'],
    ['of another kind', { HTTPS_PROXY: 'socks5://proxy:1080' }, 'https://api.example', 'socks5://proxy:1080'],
    ['not for the other scheme', { HTTP_PROXY: proxy }, 'https://api.example', undefined],
    ['not at all', {}, 'https://api.example', undefined],
    ['never for loopback', { HTTPS_PROXY: proxy }, 'https://127.0.0.1:6443', undefined],
    ['nor for its other addresses', { HTTPS_PROXY: proxy }, 'https://127.8.9.10', undefined],
    ['nor for its IPv6 address', { HTTPS_PROXY: proxy }, 'https://[::1]:6443', undefined],
    ['nor for its name', { HTTPS_PROXY: proxy }, 'https://localhost:6443', undefined],
  ];
  for (const [what, env, server, expected] of cases) {
    test(what, async () => assert.equal((await proxyFromEnvironment(env, server))?.reveal(), expected));
  }
});

describe('NO_PROXY lets out', () => {
  const cases: readonly [entry: string, server: string, isDirect: boolean][] = [
    ['*', 'https://api.example', true],
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://api.example.com:6443', true],
    ['example.com', 'https://notexample.com', false],
    ['EXAMPLE.com', 'https://Api.Example.COM', true],
    ['.example.com', 'https://api.example.com', true],
    ['.example.com', 'https://example.com', false],
    ['*.example.com', 'https://a.b.example.com', true],
    ['*.example.com', 'https://example.com', false],
    ['example.com:6443', 'https://example.com:6443', true],
    ['example.com:6443', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['exämple.com', 'https://api.exämple.com', true],
    ['10.0.0.0/8', 'https://10.96.0.1:443', true],
    ['10.0.0.0/8', 'https://11.0.0.1', false],
    ['10.0.0.0/8', 'https://api.example', false],
    ['10.96.0.1', 'https://10.96.0.1', true],
    ['10.96.0.1', 'https://10.96.0.2', false],
    ['10.96.0.1:6443', 'https://10.96.0.1', false],
    ['10.96.0.1:6443', 'https://10.96.0.1:6443', true],
    ['fd00::/8', 'https://[fd12::1]:6443', true],
    ['fd12::1', 'https://[fd12:0:0::1]', true],
    ['[fd12::1]:6443', 'https://[fd12::1]:6443', true],
    ['[fd12::1]:6443', 'https://[fd12::1]', false],
    [' other , example.com ', 'https://example.com', true],
    [',:80,/,10.0.0.0/99', 'https://10.0.0.1', false],
    ['', 'https://example.com', false],
  ];
  for (const [entry, server, isDirect] of cases) {
    test(`${entry || 'nothing'} ${isDirect ? 'for' : 'not for'} ${server}`, async () => {
      for (const name of ['NO_PROXY', 'no_proxy']) {
        const found = await proxyFromEnvironment({ HTTPS_PROXY: proxy, [name]: entry }, server);
        assert.equal(found === undefined, isDirect);
      }
    });
  }
});

test('a variable that names no proxy is refused by its name, without its value', async () => {
  for (const value of ['socks4://me:hunter2@proxy', 'http://', 'http://me:hunter2@pro xy', 'ftp://hunter2']) {
    await assert.rejects(proxyFromEnvironment({ HTTPS_PROXY: value }, 'https://api.example'), (error: Error) => {
      assert.equal(error.name, 'ConfigError');
      assert.equal(
        error.message,
        'environment variable HTTPS_PROXY: is not the URL of an http, https or socks5 proxy, such as http://proxy.example:3128',
      );
      assert.ok(!inspect(error).includes('hunter2'));
      return true;
    });
  }
});

test('proxies speak http, https or socks5', () => {
  const yes = ['http://p', 'https://p:1', 'socks5://u:p@p', 'socks5h://[::1]:1080'];
  const no = ['p', 'ftp://p', 'socks4://p', 'http://', 'socks5://', ''];
  assert.deepEqual(yes.filter(isProxyUrl), yes);
  assert.deepEqual(no.filter(isProxyUrl), []);
});
