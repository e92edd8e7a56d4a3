/** Roles within a namespace that every cluster begins with, and who is bound to what. See read-roles.ts. */
export const NAMESPACE_ROLES = `
kube-public/system:controller:bootstrap-signer
  get,list,watch core: configmaps
  update core: configmaps = cluster-info
  create,patch,update core,events.k8s.io: events
kube-system/extension-apiserver-authentication-reader
  get,list,watch core: configmaps = extension-apiserver-authentication
kube-system/system::leader-locking-kube-controller-manager
  create,get,list,update,watch coordination.k8s.io: leases
  create,get,list,update,watch coordination.k8s.io: leasecandidates
kube-system/system::leader-locking-kube-scheduler
  create,get,list,update,watch coordination.k8s.io: leases
  create,get,list,update,watch coordination.k8s.io: leasecandidates
kube-system/system:controller:bootstrap-signer
  get,list,watch core: secrets
kube-system/system:controller:cloud-provider
  create,get,list,watch core: configmaps
kube-system/system:controller:token-cleaner
  delete,get,list,watch core: secrets
  create,patch,update core,events.k8s.io: events
`;

/** `[NAMESPACE/]NAME role|cluster-role ROLE SUBJECT…` */
export const BINDINGS = `
cluster-admin cluster-role cluster-admin Group=system:masters
system:basic-user cluster-role system:basic-user Group=system:authenticated
system:discovery cluster-role system:discovery Group=system:authenticated
system:kube-controller-manager cluster-role system:kube-controller-manager User=system:kube-controller-manager
system:kube-dns cluster-role system:kube-dns ServiceAccount=kube-system/kube-dns
system:kube-scheduler cluster-role system:kube-scheduler User=system:kube-scheduler
system:monitoring cluster-role system:monitoring Group=system:monitoring
system:node cluster-role system:node
system:node-proxier cluster-role system:node-proxier User=system:kube-proxy
system:public-info-viewer cluster-role system:public-info-viewer Group=system:authenticated Group=system:unauthenticated
system:service-account-issuer-discovery cluster-role system:service-account-issuer-discovery Group=system:serviceaccounts
system:volume-scheduler cluster-role system:volume-scheduler User=system:kube-scheduler
kube-public/system:controller:bootstrap-signer role system:controller:bootstrap-signer ServiceAccount=kube-system/bootstrap-signer
kube-system/system::extension-apiserver-authentication-reader role extension-apiserver-authentication-reader User=system:kube-controller-manager User=system:kube-scheduler
kube-system/system::leader-locking-kube-controller-manager role system::leader-locking-kube-controller-manager User=system:kube-controller-manager ServiceAccount=kube-system/kube-controller-manager ServiceAccount=kube-system/leader-election-controller
kube-system/system::leader-locking-kube-scheduler role system::leader-locking-kube-scheduler User=system:kube-scheduler ServiceAccount=kube-system/kube-scheduler
kube-system/system:controller:bootstrap-signer role system:controller:bootstrap-signer ServiceAccount=kube-system/bootstrap-signer
kube-system/system:controller:cloud-provider role system:controller:cloud-provider ServiceAccount=kube-system/cloud-provider
kube-system/system:controller:token-cleaner role system:controller:token-cleaner ServiceAccount=kube-system/token-cleaner
`;
