/** What a cluster must have before the operator runs, as JSON for kubectl: its kind, and the rights that it needs. */
import { rulesOf } from '@keelson/core';
import { crdOf } from '@keelson/schema';
import { Greeting, greetingOperator } from './greeting.ts';

const { name } = greetingOperator;
const apiVersion = 'rbac.authorization.k8s.io/v1';
const role = { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: rulesOf(greetingOperator) };
for (const each of [crdOf(Greeting), role]) console.log(JSON.stringify(each, null, 2));
