import type { Chapter } from '../walk.ts';

export const waiting: Chapter = {
  key: 'wait',
  title: 'Wait',
  about: 'For a condition, for a field, for the end.',
  steps: [
    'kubectl apply -f pod.yaml -f web.yaml',
    'kubectl wait --for=condition=Ready pod/shell --timeout=30s',
    'kubectl wait --for=condition=Available deployment/web --timeout=30s',
    { run: "kubectl wait --for=jsonpath='{.status.phase}'=Running pod/shell --timeout=30s", since: 23 },
    { run: "kubectl wait --for=jsonpath='{.status.readyReplicas}' deployment/web --timeout=30s", since: 31 },
    { run: 'kubectl wait --for=condition=Ready pods -l app=web --timeout=30s', since: 23 },
    {
      run: '(sleep 1; kubectl create configmap later >/dev/null) & kubectl wait --for=create configmap/later --timeout=20s; wait',
      since: 31,
    },
    'kubectl wait --for=condition=Ready=false pod/shell --timeout=1s',
    'kubectl wait --for=condition=Ready pod/missing --timeout=1s',
    '(sleep 1; kubectl delete pod shell >/dev/null) & kubectl wait --for=delete pod/shell --timeout=20s; wait',
    'kubectl create job once --image=example.test/once:1 && kubectl wait --for=condition=Complete job/once --timeout=30s',
    { run: 'kubectl get job once', settles: /1\/1/ },
  ],
};
