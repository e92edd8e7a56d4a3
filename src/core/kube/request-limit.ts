/**
 * Largest body of a request, in bytes: kube-apiserver's default (twice the 1.5 MiB that etcd takes, since JSON may be
 * twice the size of protobuf). Every other bound that follows from the size of a request is computed from this one.
 */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;
