/** A JSON value. Integers that a double cannot hold are bigints, so that no digit is lost between reading and writing. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}
