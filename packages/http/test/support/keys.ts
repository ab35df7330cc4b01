import * as ApiKey from "@countersign/core/domain/access/ApiKey"

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A live key with this id and secret, with the right checksum. The secret's last letter fills it up. */
export const keyText = (id: string, secret: string): string => {
  const text = `${id}${secret.padEnd(43, secret.slice(-1))}`
  return (
    ApiKey.encode(
      "live",
      Uint8Array.from(text, (letter) => letters.indexOf(letter)),
    )?.text ?? ""
  )
}

/** Eight headers with the same key. */
export const spellings = (key: string): ReadonlyArray<string> =>
  ["Bearer", "bearer", "BEARER", "bEaReR"].flatMap((scheme) => [
    `${scheme} ${key}`,
    `${scheme}   ${key}  `,
  ])
