/** Paths of the collections that cases work with; an object's path is its collection's, a slash and its name. */
const core = (resource: string) => (namespace: string) => `/api/v1/namespaces/${namespace}/${resource}`;
const grouped = (group: string, resource: string) => (namespace: string) =>
  `/apis/${group}/v1/namespaces/${namespace}/${resource}`;

export const namespaces = '/api/v1/namespaces';
export const customResourceDefinitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const configMaps = core('configmaps');
export const secrets = core('secrets');
export const pods = core('pods');
export const services = core('services');
export const serviceAccounts = core('serviceaccounts');
export const coreEvents = core('events');
export const events = grouped('events.k8s.io', 'events');
export const deployments = grouped('apps', 'deployments');
export const replicaSets = grouped('apps', 'replicasets');
export const statefulSets = grouped('apps', 'statefulsets');
export const daemonSets = grouped('apps', 'daemonsets');
export const controllerRevisions = grouped('apps', 'controllerrevisions');
export const replicationControllers = core('replicationcontrollers');
export const endpoints = core('endpoints');
export const endpointSlices = grouped('discovery.k8s.io', 'endpointslices');
export const persistentVolumeClaims = core('persistentvolumeclaims');
export const persistentVolumes = '/api/v1/persistentvolumes';
export const storageClasses = '/apis/storage.k8s.io/v1/storageclasses';
export const leases = grouped('coordination.k8s.io', 'leases');
export const roles = grouped('rbac.authorization.k8s.io', 'roles');
export const roleBindings = grouped('rbac.authorization.k8s.io', 'rolebindings');
export const jobs = grouped('batch', 'jobs');
export const cronJobs = grouped('batch', 'cronjobs');
export const podDisruptionBudgets = grouped('policy', 'poddisruptionbudgets');
export const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
export const clusterRoleBindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
export const selfSubjectAccessReviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
export const subjectAccessReviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
export const localSubjectAccessReviews = grouped('authorization.k8s.io', 'localsubjectaccessreviews');
export const selfSubjectRulesReviews = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
export const selfSubjectReviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
export const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews';
