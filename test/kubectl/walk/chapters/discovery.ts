import type { Chapter } from '../walk.ts';

export const discovery: Chapter = {
  key: 'discovery',
  title: 'What there is',
  about: 'What the server serves, and what it says of itself.',
  steps: [
    'kubectl cluster-info',
    'kubectl api-versions',
    'kubectl api-resources',
    'kubectl api-resources --api-group=apps -o wide',
    'kubectl api-resources --namespaced=false --verbs=deletecollection -o name',
    { run: 'kubectl api-resources --categories=all --sort-by=name', since: 27 },
    "kubectl get --raw /version | grep -E 'gitVersion|major|minor'",
    'kubectl get --raw /readyz',
    'kubectl get --raw /apis/apps/v1/namespaces/discovery/daemonsets?limit=1',
    'kubectl get widgets',
    'kubectl get namespace nowhere',
  ],
};

export const explain: Chapter = {
  key: 'explain',
  title: 'Explain',
  about: 'The shape of a kind, from the OpenAPI documents of the server.',
  steps: [
    'kubectl explain daemonset.spec',
    'kubectl explain daemonset.spec.updateStrategy --recursive',
    'kubectl explain pod.spec.containers.resources',
    'kubectl explain configmap.data',
    'kubectl explain poddisruptionbudgets --api-version=policy/v1',
    { run: 'kubectl explain ds.spec.selector --output=plaintext-openapiv2', since: 27 },
    'kubectl explain pod.spec.nothing',
    'kubectl explain nothing',
  ],
};
