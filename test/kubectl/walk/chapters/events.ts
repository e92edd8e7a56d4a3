import type { Chapter } from '../walk.ts';

export const events: Chapter = {
  key: 'events',
  title: 'Events, describe, logs',
  about: 'What happened, in the words of whoever did it.',
  steps: [
    'kubectl apply -f pod.yaml -f settings.yaml && kubectl wait --for=condition=Ready pod/shell --timeout=120s',
    { run: 'kubectl get events --field-selector=involvedObject.name=shell', settles: /Started/ },
    { run: 'kubectl events --for=pod/shell', since: 26, settles: /Started/ },
    { run: 'kubectl events --types=Warning', since: 26 },
    "kubectl get events --field-selector=involvedObject.name=shell,reason=Started -o jsonpath='{.items[*].message} {.items[*].type} {.items[*].source.component}{.items[*].reportingComponent}'",
    'kubectl describe pod shell',
    // One entry: kubectl prints more in no fixed order.
    'kubectl create configmap note --from-literal=text=hello && kubectl describe configmap note',
    'kubectl apply -f agent.yaml && kubectl rollout status daemonset/agent | tail -1',
    { run: 'kubectl describe daemonset agent', settles: /(SuccessfulCreate[\s\S]*){5}/ },
    'kubectl logs shell --tail=1 | cut -c1-5',
  ],
};
