import type { Chapter } from '../walk.ts';

export const nodes: Chapter = {
  key: 'nodes',
  title: 'Taint, cordon, drain',
  about: 'A node is set aside, emptied as fast as budgets allow, and taken back.',
  steps: [
    'kubectl taint nodes node-0 dedicated=gpu:NoSchedule && kubectl taint nodes node-0 dedicated=gpu:NoSchedule',
    'kubectl taint nodes node-0 dedicated=cpu:NoSchedule --overwrite && kubectl taint nodes node-0 dedicated:PreferNoSchedule',
    "kubectl get node node-0 -o jsonpath='{.spec.taints}'",
    'kubectl taint nodes node-0 dedicated-',
    'kubectl taint nodes node-0 bad=value:Sometimes',
    'kubectl taint nodes -l kubernetes.io/hostname=node-3 maintenance=soon:NoExecute',
    'kubectl taint nodes node-3 maintenance:NoExecute-',
    'kubectl apply -f agent.yaml -f pod.yaml -f web.yaml && kubectl rollout status daemonset/agent | tail -1 && kubectl wait --for=condition=Ready pod/shell --timeout=120s && kubectl rollout status deployment/web | tail -1',
    'kubectl cordon node-1 && kubectl cordon node-1',
    { run: 'kubectl get node node-1', settles: /SchedulingDisabled/ },
    {
      run: 'kubectl describe node node-1 | grep -E "^(Taints|Unschedulable)"',
      settles: /unschedulable:NoSchedule/,
    },
    { run: 'kubectl drain node-1 --force', say: 'What a DaemonSet keeps stands in the way,' },
    { run: 'kubectl drain node-1 --ignore-daemonsets', say: 'and so does what has no controller:' },
    { run: 'kubectl drain node-1 --ignore-daemonsets --force --pod-selector=app=shell' },
    'kubectl get pod shell',
    'kubectl get pods -l app=agent --field-selector=spec.nodeName=node-1 --no-headers | wc -l',
    'kubectl uncordon node-1 && kubectl uncordon node-1',
    {
      run: 'kubectl apply -f budget.yaml',
      until: 21,
      say: 'This release knows budgets by an older version of their API only.',
    },
    {
      run: 'kubectl apply -f budget.yaml && kubectl scale deployment web --replicas=2 && kubectl rollout status deployment/web | tail -1',
      since: 21,
    },
    { run: 'kubectl get pdb web', settles: /web +2 +N\/A +0 /, since: 21 },
    {
      run: "kubectl drain $(kubectl get pods -l app=web -o jsonpath='{.items[0].spec.nodeName}') --ignore-daemonsets --pod-selector=app=web 2>&1 | grep --line-buffered -o 'Cannot evict.*budget'",
      interruptedAt: /budget\n/,
      since: 21,
    },
    { run: 'kubectl delete pdb web', since: 21 },
    {
      run: "kubectl drain $(kubectl get pods -l app=web -o jsonpath='{.items[0].spec.nodeName}') --ignore-daemonsets 2>&1 | sed 's/node-[0-4]/node-N/'",
      say: 'With nothing in the way, all goes but what a DaemonSet keeps:',
    },
    'kubectl rollout status deployment/web --timeout=120s | tail -1',
    { run: 'kubectl uncordon node-0 node-1 node-2 node-3 node-4 | wc -l' },
  ],
};
