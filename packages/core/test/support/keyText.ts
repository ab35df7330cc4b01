import * as ApiKey from "../../src/domain/access/ApiKey.ts"

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The text of a key with these parts, with the right checksum. */
export const keyText = (environment: ApiKey.Environment, id: string, secret: string): string => {
  const bytes = Uint8Array.from(`${id}${secret}`, (letter) => letters.indexOf(letter))
  return ApiKey.encode(environment, bytes)?.text ?? ""
}
