import type { Chapter } from '../walk.ts';

export const access: Chapter = {
  key: 'access',
  title: 'Access',
  about: 'Who may do what, tokens for service accounts, and certificates for people.',
  steps: [
    { run: 'kubectl auth whoami', since: 28 },
    'kubectl auth can-i --list',
    'kubectl auth can-i create pods && kubectl auth can-i create pods --as=jane',
    'kubectl apply -f role.yaml && kubectl create rolebinding jane --role=reader --user=jane',
    { run: 'kubectl auth can-i --list --as=jane', say: 'What everybody may, and what Jane was given:' },
    'kubectl auth can-i list configmaps --as=jane && kubectl auth can-i delete configmaps --as=jane',
    'kubectl auth can-i patch daemonsets.apps/agent --as=jane',
    'kubectl get secrets --as=jane',
    'kubectl create clusterrole walker --verb=get --resource=nodes --dry-run=client -o yaml | kubectl auth reconcile -f -',
    'kubectl create role escalating --verb=* --resource=secrets --as=jane',
    'kubectl create serviceaccount robot && kubectl create clusterrolebinding robot --clusterrole=view --serviceaccount=access:robot',
    { run: 'kubectl create token robot', since: 24 },
    { run: 'kubectl create token robot --duration=1s', since: 24 },
    { run: 'kubectl create token robot --duration=20m --audience=https://elsewhere.test', since: 24 },
    {
      run: 'kubectl --kubeconfig=/dev/null --server=$(kubectl config view -o jsonpath={.clusters[0].cluster.server}) --insecure-skip-tls-verify --token=$(kubectl create token robot) auth can-i get pods --namespace=access',
      since: 24,
    },
    {
      run: 'kubectl --kubeconfig=/dev/null --server=$(kubectl config view -o jsonpath={.clusters[0].cluster.server}) --insecure-skip-tls-verify --token=$(kubectl create token robot) auth whoami',
      since: 28,
    },
    'kubectl auth can-i get secrets --as=system:serviceaccount:access:robot',
    'kubectl apply -f jane.yaml && kubectl get csr jane',
    'kubectl certificate approve jane',
    { run: 'kubectl get csr jane', settles: /Approved,Issued/ },
    "kubectl get csr jane -o jsonpath='{.status.certificate}' | base64 -d | openssl x509 -noout -subject",
    'kubectl delete csr jane && kubectl apply -f jane.yaml && kubectl certificate deny jane && kubectl get csr jane',
    'kubectl delete clusterrolebinding robot && kubectl delete clusterrole walker',
  ],
};
