import type { Chapter } from '../walk.ts';

export const customResources: Chapter = {
  key: 'custom',
  title: 'Custom resources',
  about: 'A kind the cluster did not know this morning.',
  steps: [
    'kubectl apply -f backups.yaml && kubectl wait --for=condition=Established crd/backups.walk.example --timeout=120s',
    { run: 'kubectl apply -f backup.yaml', settles: /created|unchanged/ },
    'kubectl get bk',
    'kubectl apply -f backup.yaml && kubectl diff -f backup.yaml',
    'kubectl get backup nightly -o yaml',
    { run: 'kubectl explain backup.spec', settles: /keep/ },
    `kubectl patch backup nightly --type=merge -p '{"spec":{"keep":0}}'`,
    `kubectl patch backup nightly --type=merge -p '{"spec":{"keep":500}}'`,
    `kubectl patch backup nightly -p '{"spec":{"keep":5}}'`,
    { run: `kubectl patch backup nightly --type=merge -p '{"spec":{"kep":5}}'` },
    'kubectl scale backup nightly --replicas=3',
    {
      run: `kubectl patch backup nightly --subresource=status --type=merge -p '{"status":{"replicas":3}}' && kubectl get backup nightly -o jsonpath='{.status.replicas}'`,
      since: 24,
    },
    'kubectl apply --server-side -f backup.yaml && kubectl get backups -o name',
    'kubectl get all -o name',
    'kubectl api-resources --api-group=walk.example',
    'kubectl delete -f backups.yaml',
    'kubectl get backups',
  ],
};
