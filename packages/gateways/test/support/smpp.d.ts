/** The API that the tests use of a package without types. */
declare module "smpp" {
  export class PDU {
    constructor(command: string, options: Readonly<Record<string, unknown>>)
    /** `false` when the bytes are no PDU. */
    static fromBuffer(bytes: Uint8Array): (PDU & Readonly<Record<string, unknown>>) | false
    toBuffer(): Uint8Array
  }
}
