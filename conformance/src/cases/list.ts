/** Lists: their shape, the resourceVersion that they show, and paging. */
import type { Area, Proof } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import type { Body } from '../exchange.ts';
import { exactly, resourceVersion } from '../match.ts';
import { configMap } from '../objects.ts';
import { configMaps } from '../paths.ts';
import { invalidListOptions } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const tooLarge = (requested: string) => ({
  code: 504,
  reason: 'Timeout',
  message: new RegExp(`^Timeout: Too large resource version: ${requested}, current: \\d+$`),
  details: {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  },
});

/** Makes a namespace with ConfigMaps of these names and gives their collection's path. */
async function collection(t: Trial, ...names: readonly string[]): Promise<string> {
  const path = configMaps(await t.namespace());
  for (const name of names) (await t.post(path, configMap(name, {}, { labels: { name } }))).is(201);
  return path;
}

const namesOf = ({ items }: Body) => items.map(({ metadata }) => metadata.name);

/** Lists of custom resources carry an empty token where those of built-in kinds carry none. */
const noToken = (token: unknown) => token === undefined || token === '';

/** A query that is refused with one cause. */
function refused(
  query: Readonly<Record<string, string>>,
  cause: { reason: string; message: string; field: string },
): Proof {
  return async (t) => (await t.get(await collection(t), { query })).refuses(invalidListOptions(cause));
}

export const list: Area = {
  name: 'list',
  proves: ['L1', 'L2', 'L3', 'L4', 'L5'],
  cases: {
    'an empty list has an empty list of items': async (t) => {
      const path = await collection(t);
      const answer = await t.get(path, { query: { labelSelector: 'none' } });
      answer.is(200, exactly({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion }, items: [] }));
      answer.has('content-type', 'application/json');
    },

    'items of built-in kinds do not repeat kind and apiVersion': async (t) => {
      const path = await collection(t, 'a');
      const answer = await t.get(path, { query: { labelSelector: 'name=a' } });
      answer.is(200, { items: [{ kind: undefined, apiVersion: undefined, metadata: { name: 'a' } }] });
    },

    'items of custom resources repeat kind and apiVersion': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      (await t.post(widget.in(namespace), widget.object('a'))).is(201);
      (await t.get(widget.in(namespace))).is(200, {
        kind: 'WidgetList',
        apiVersion: widget.apiVersion,
        items: [{ kind: 'Widget', apiVersion: widget.apiVersion, metadata: { name: 'a' } }],
      });
    },

    'a list is ordered by name, whatever the order of creation': async (t) => {
      const path = await collection(t, 'b', 'a', 'c', 'a-b', 'a.b');
      const answer = await t.get(path, { query: { labelSelector: 'name' } });
      answer.is(200);
      answer.judge(namesOf(answer.body), ['a', 'a-b', 'a.b', 'b', 'c']);
    },

    'a list over all namespaces is ordered by namespace, then by name': async (t) => {
      const label = t.name('set');
      const spaces = [await t.namespace(), await t.namespace()].toSorted();
      for (const name of ['b', 'a']) {
        for (const space of spaces.toReversed()) {
          (await t.post(configMaps(space), configMap(name, {}, { labels: { set: label } }))).is(201);
        }
      }
      const answer = await t.get('/api/v1/configmaps', { query: { labelSelector: `set=${label}` } });
      const metadata = spaces.flatMap((namespace) => ['a', 'b'].map((name) => ({ namespace, name })));
      answer.is(200, { items: metadata.map((each) => ({ metadata: each })) });
    },

    'a list of a namespace that does not exist is empty': async (t) => {
      (await t.get(configMaps(t.name('nowhere')))).is(200, { kind: 'ConfigMapList', items: [] });
    },

    'a list may be of any age with resourceVersion 0': async (t) => {
      const path = await collection(t, 'a');
      const query = { resourceVersion: 0, labelSelector: 'name' };
      await t.eventually(async () => (await t.get(path, { query })).is(200, { items: [{ metadata: { name: 'a' } }] }));
    },

    'a list at a resourceVersion shows that state or a later one': async (t) => {
      const path = await collection(t, 'a');
      const { metadata } = (await t.post(path, configMap('b', {}, { labels: { name: 'b' } }))).is(201);
      for (const match of [{}, { resourceVersionMatch: 'NotOlderThan' }]) {
        const query = { resourceVersion: metadata.resourceVersion, labelSelector: 'name', ...match };
        const answer = await t.get(path, { query });
        answer.is(200);
        answer.judge(namesOf(answer.body), ['a', 'b']);
      }
    },

    'an exact list shows the state of that resourceVersion, without later writes': async (t) => {
      const path = await collection(t, 'a', 'gone');
      const before = (await t.get(path)).is(200).metadata.resourceVersion;
      (await t.post(path, configMap('b', {}, { labels: { name: 'b' } }))).is(201);
      (await t.mergePatch(`${path}/a`, { data: { key: 'late' } })).is(200);
      (await t.delete(`${path}/gone`)).is(200);
      const query = { resourceVersion: before, resourceVersionMatch: 'Exact', labelSelector: 'name' };
      (await t.get(path, { query })).is(200, {
        metadata: { resourceVersion: before },
        items: [{ metadata: { name: 'a' }, data: undefined }, { metadata: { name: 'gone' } }],
      });
    },

    'a limited list at a resourceVersion shows exactly that state': async (t) => {
      const path = await collection(t, 'a');
      const before = (await t.get(path)).is(200).metadata.resourceVersion;
      (await t.post(path, configMap('b', {}, { labels: { name: 'b' } }))).is(201);
      const query = { resourceVersion: before, limit: 10, labelSelector: 'name' };
      const answer = await t.get(path, { query });
      answer.is(200, { metadata: { resourceVersion: before } });
      answer.judge(namesOf(answer.body), ['a']);
    },

    'a list at a resourceVersion that is still to come times out after three seconds': async (t) => {
      const query = { resourceVersion: '999999999999' };
      (await t.get(await collection(t), { query })).refuses(tooLarge('999999999999'));
    },

    'an exact list at a resourceVersion that is still to come times out': async (t) => {
      const query = { resourceVersion: '999999999999', resourceVersionMatch: 'Exact' };
      (await t.get(await collection(t), { query })).refuses(tooLarge('999999999999'));
    },

    'a list at a resourceVersion that is no number is a bad request': async (t) => {
      (await t.get(await collection(t), { query: { resourceVersion: 'abc' } })).refuses({
        code: 400,
        reason: 'BadRequest',
        message:
          'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      });
    },

    'resourceVersionMatch without a resourceVersion is refused': refused(
      { resourceVersionMatch: 'NotOlderThan' },
      {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
        field: 'resourceVersionMatch',
      },
    ),

    'an exact list at resourceVersion 0 is refused': refused(
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        field: 'resourceVersionMatch',
      },
    ),

    'an unknown resourceVersionMatch is refused': refused(
      { resourceVersionMatch: 'Newest', resourceVersion: '5' },
      {
        reason: 'FieldValueNotSupported',
        message: 'Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
        field: 'resourceVersionMatch',
      },
    ),

    'resourceVersionMatch with a continue token is refused': refused(
      { resourceVersionMatch: 'Exact', resourceVersion: '5', continue: 'any' },
      {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: resourceVersionMatch is forbidden when continue is provided',
        field: 'resourceVersionMatch',
      },
    ),

    'sendInitialEvents is refused for lists': refused(
      { sendInitialEvents: 'true' },
      {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: sendInitialEvents is forbidden for list',
        field: 'sendInitialEvents',
      },
    ),

    'a limit that is no number is a bad request': async (t) => {
      (await t.get(await collection(t), { query: { limit: 'many' } })).refuses({
        code: 400,
        reason: 'BadRequest',
        message: 'strconv.ParseInt: parsing "many": invalid syntax',
      });
    },

    'a limited list says how many are left and continues where it stopped': async (t) => {
      // A namespace has objects of its controllers in it, so the pages are of a kind of our own.
      const namespace = await t.namespace();
      const widget = await widgets(t);
      for (const name of ['a', 'b', 'c', 'd', 'e']) (await t.post(widget.in(namespace), widget.object(name))).is(201);
      const path = widget.in(namespace);
      const first = await t.get(path, { query: { limit: 2 } });
      first.is(200, { metadata: { resourceVersion, continue: /^[\w-]+$/, remainingItemCount: 3 } });
      first.judge(namesOf(first.body), ['a', 'b']);
      const second = await t.get(path, { query: { limit: 2, continue: first.body.metadata.continue ?? '' } });
      const same = first.body.metadata.resourceVersion;
      second.is(200, { metadata: { resourceVersion: same, continue: /^[\w-]+$/, remainingItemCount: 1 } });
      second.judge(namesOf(second.body), ['c', 'd']);
      const third = await t.get(path, { query: { limit: 2, continue: second.body.metadata.continue ?? '' } });
      third.is(200, { metadata: { resourceVersion: same, continue: noToken, remainingItemCount: undefined } });
      third.judge(namesOf(third.body), ['e']);
    },

    // Reflectors of client-go ask like this.
    'a list at resourceVersion 0 has no pages, whatever the limit': async (t) => {
      const path = await collection(t, 'a', 'b', 'c');
      await t.eventually(async () => {
        const answer = await t.get(path, { query: { resourceVersion: 0, limit: 1, labelSelector: 'name' } });
        answer.is(200, { metadata: { continue: noToken, remainingItemCount: undefined } });
        answer.judge(namesOf(answer.body), ['a', 'b', 'c']);
      });
    },

    'a list with exactly as many objects as the limit has no continue token': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      for (const name of ['a', 'b']) (await t.post(widget.in(namespace), widget.object(name))).is(201);
      const answer = await t.get(widget.in(namespace), { query: { limit: 2 } });
      answer.is(200, { metadata: { resourceVersion, continue: noToken, remainingItemCount: undefined } });
    },

    'a limited list with a selector fills its pages and does not count what is left': async (t) => {
      const path = await collection(t, 'a', 'b', 'c', 'd');
      const selector = { labelSelector: 'name notin (a,c),name', limit: 1 };
      const first = await t.get(path, { query: selector });
      first.is(200, { metadata: { continue: /./, remainingItemCount: undefined } });
      first.judge(namesOf(first.body), ['b']);
      const second = await t.get(path, { query: { ...selector, continue: first.body.metadata.continue ?? '' } });
      second.is(200);
      second.judge(namesOf(second.body), ['d']);
    },

    'the pages of a list show one state, whatever is written between them': async (t) => {
      const path = await collection(t, 'a', 'b', 'd');
      const query = { limit: 1, labelSelector: 'name' };
      const first = await t.get(path, { query });
      first.judge(namesOf(first.is(200)), ['a']);
      (await t.post(path, configMap('c', {}, { labels: { name: 'c' } }))).is(201);
      (await t.delete(`${path}/d`)).is(200);
      const rest = await t.get(path, {
        query: { labelSelector: 'name', continue: first.body.metadata.continue ?? '' },
      });
      rest.judge(namesOf(rest.is(200)), ['b', 'd']);
      rest.judge(rest.body.metadata.resourceVersion, first.body.metadata.resourceVersion);
    },

    'a continue token together with a resourceVersion is refused': async (t) => {
      const path = await collection(t, 'a', 'b');
      const { metadata } = (await t.get(path, { query: { limit: 1 } })).is(200);
      const query = { continue: metadata.continue ?? '', resourceVersion: metadata.resourceVersion };
      (await t.get(path, { query })).refuses({
        code: 400,
        reason: 'BadRequest',
        message: 'specifying resource version is not allowed when using continue',
      });
    },

    'a continue token that the server did not make is a bad request': async (t) => {
      (await t.get(await collection(t), { query: { continue: 'nonsense' } })).refuses({
        code: 400,
        reason: 'BadRequest',
        message: /^invalid continue token: continue key is not valid: /,
      });
    },

    'a continue token of a forgotten state is expired and brings one for the rest': {
      needs: 'compaction',
      async proof(t) {
        const path = await collection(t, 'a', 'b', 'c');
        const first = (await t.get(path, { query: { limit: 1, labelSelector: 'name' } })).is(200);
        (await t.post(path, configMap('d', {}, { labels: { name: 'd' } }))).is(201);
        await t.session.compact?.();
        const query = { limit: 1, labelSelector: 'name', continue: first.metadata.continue ?? '' };
        const expired = await t.get(path, { query });
        const { metadata } = expired.is(
          410,
          exactly({
            kind: 'Status',
            apiVersion: 'v1',
            metadata: { continue: /^[\w-]+$/ },
            status: 'Failure',
            message:
              'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
            reason: 'Expired',
            code: 410,
          }),
        );
        const rest = await t.get(path, { query: { labelSelector: 'name', continue: metadata.continue ?? '' } });
        rest.judge(namesOf(rest.is(200)), ['b', 'c', 'd']);
      },
    },

    'an exact list at a forgotten resourceVersion is expired': {
      needs: 'compaction',
      async proof(t) {
        const path = await collection(t, 'a');
        const before = (await t.get(path)).is(200).metadata.resourceVersion;
        (await t.post(path, configMap('b'))).is(201);
        await t.session.compact?.();
        (await t.get(path, { query: { resourceVersion: before, resourceVersionMatch: 'Exact' } })).refuses({
          code: 410,
          reason: 'Expired',
          message: 'The resourceVersion for the provided list is too old.',
        });
      },
    },
  },
};
