/** Errors of this room. A code is never renamed; clients see the message. */

/** Bytes that are not the protobuf they claim to be. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
  readonly code = 'EN_API_PROTOBUF';
}
