/** The four bytes in front of every object that Kubernetes writes as protobuf: `k8s` and a zero. */
export const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

export const hasMagic = (bytes: Uint8Array): boolean =>
  bytes.length >= 4 && bytes[0] === 0x6b && bytes[1] === 0x38 && bytes[2] === 0x73 && bytes[3] === 0;
