/** Descriptions of the metadata fields, for `kubectl explain`. */
export const METADATA_DESCRIPTIONS: { readonly [field: string]: string } = {
  annotations: 'Annotations are texts under names, for people and tools; no selector looks at them.',
  creationTimestamp: 'CreationTimestamp is a timestamp: when the server made the object. Clients cannot set it.',
  deletionGracePeriodSeconds:
    'DeletionGracePeriodSeconds says how long the object may take to end. Set with deletionTimestamp.',
  deletionTimestamp:
    'DeletionTimestamp is when the object will be gone. The server sets it when somebody deletes the object.',
  finalizers:
    'Finalizers name those who have something to do before the object goes; it stays until the list is empty.',
  generateName: 'GenerateName begins the name that the server makes up, where no name was given.',
  generation: 'Generation counts the states that were wished for, as far as the kind keeps count.',
  labels: 'Labels are names with short values by which selectors find the object.',
  managedFields: 'ManagedFields says who owns which fields, for server-side apply. People need not write it.',
  name: 'Name is unique among objects of the kind in the namespace, and stays as it is.',
  namespace: 'Namespace is where the name must be unique. Empty for kinds that belong to the whole cluster.',
  ownerReferences: 'OwnerReferences names the objects this one depends on: when all of them are gone, it goes as well.',
  resourceVersion: 'ResourceVersion changes with every write. A write that carries an older one is refused.',
  selfLink: 'SelfLink is no longer filled in.',
  uid: 'UID tells the object from every other, also from one that had its name before.',
};
