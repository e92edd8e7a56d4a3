/** Errors of this room. A code is never renamed; clients see the message. */
export const API_ERROR_CODES = {
  EN_API_JSON_PATH: 'A path of a printer column or selectable field that cannot be read',
  EN_API_PROTOBUF: 'Bytes that are not the protobuf they claim to be',
  EN_API_UNNAMED_ITEM:
    'A value that nobody can own: an item that nothing tells apart from others, a list in place of a scalar',
} as const;

/** Bytes that are not the protobuf they claim to be. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
  readonly code = 'EN_API_PROTOBUF';
}
