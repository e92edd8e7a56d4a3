import type { Chapter } from '../walk.ts';

export const waiting: Chapter = {
  key: 'wait',
  title: 'Wait',
  about: 'For a condition, for a field, for the end.',
  steps: [
    'kubectl apply -f pod.yaml -f web.yaml',
    'kubectl wait --for=condition=Ready pod/shell --timeout=120s',
    'kubectl wait --for=condition=Available deployment/web --timeout=120s',
    { run: "kubectl wait --for=jsonpath='{.status.phase}'=Running pod/shell --timeout=120s", since: 23 },
    { run: "kubectl wait --for=jsonpath='{.status.readyReplicas}' deployment/web --timeout=120s", since: 31 },
    { run: 'kubectl wait --for=condition=Ready pods -l app=web --timeout=120s', since: 23 },
    {
      run: 'kubectl wait --for=create configmap/later --timeout=120s -v=6',
      meanwhile: { once: /configmaps/, run: 'kubectl create configmap later' },
      say: 'The flag tells when it has begun to look; its words are left out.',
      since: 31,
    },
    'kubectl wait --for=condition=Ready=false pod/shell --timeout=2s',
    'kubectl wait --for=condition=Ready pod/missing --timeout=2s',
    {
      run: 'kubectl wait --for=delete pod/shell --timeout=120s -v=6',
      meanwhile: { once: /watch=true/, run: 'kubectl delete pod shell' },
    },
    'kubectl create job once --image=example.test/once:1 && kubectl wait --for=condition=Complete job/once --timeout=120s',
    { run: 'kubectl get job once', settles: /1\/1/ },
  ],
};
