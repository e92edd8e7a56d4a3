import type { Chapter } from '../walk.ts';

export const deletion: Chapter = {
  key: 'delete',
  title: 'Delete, with each propagation policy',
  about: 'In the background, in the foreground, or leaving the dependents behind.',
  steps: [
    'kubectl apply -f web.yaml && kubectl rollout status deployment/web --timeout=120s | tail -1',
    'kubectl delete deployment web --dry-run=client && kubectl delete deployment web --dry-run=server',
    'kubectl delete deployment web',
    {
      run: 'kubectl get replicasets,pods -l app=web',
      settles: /^No resources/,
      say: 'In the background: what it owned goes after it.',
    },
    'kubectl apply -f web.yaml && kubectl rollout status deployment/web --timeout=120s | tail -1',
    {
      run: 'kubectl delete deployment web --cascade=foreground',
      say: 'In the foreground: it goes last, so nothing is left when kubectl returns.',
    },
    'kubectl get replicasets,pods -l app=web',
    'kubectl apply -f web.yaml && kubectl rollout status deployment/web --timeout=120s | tail -1',
    { run: 'kubectl delete deployment web --cascade=orphan', say: 'Orphaned: they stay, owned by nobody.' },
    { run: 'kubectl get replicasets -l app=web' },
    { run: "kubectl get replicasets -l app=web -o jsonpath='[{.items[*].metadata.ownerReferences}]'" },
    {
      run: 'kubectl apply -f web.yaml && kubectl rollout status deployment/web --timeout=120s | tail -1',
      say: 'A Deployment that fits adopts them again.',
    },
    { run: "kubectl get replicasets -l app=web -o jsonpath='{.items[*].metadata.ownerReferences[0].kind}'" },
    'kubectl delete replicasets --all',
    'kubectl delete -f web.yaml -f agent.yaml --ignore-not-found',
    { run: 'kubectl get pods', settles: /^No resources/ },
    'kubectl apply -f pod.yaml && kubectl wait --for=condition=Ready pod/shell --timeout=120s',
    'kubectl delete pod shell --now',
    'kubectl apply -f pod.yaml && kubectl delete pod shell --grace-period=0 --force',
    'kubectl create -f settings.yaml && kubectl patch configmap settings --type=merge -p \'{"metadata":{"finalizers":["walk.example/hold"]}}\'',
    'kubectl delete configmap settings --timeout=3s 2>&1 | sed s/configmaps.//',
    "kubectl get configmap settings -o jsonpath='{.metadata.deletionTimestamp} {.metadata.finalizers}'",
    'kubectl patch configmap settings --type=merge -p \'{"metadata":{"finalizers":null}}\' && kubectl get configmap settings',
    'kubectl delete configmap missing',
    'kubectl create namespace ending && kubectl create configmap inside --namespace=ending && kubectl delete namespace ending && kubectl get configmaps --namespace=ending',
  ],
};
