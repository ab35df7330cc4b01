import { generateKeyPairSync, sign } from "node:crypto"

/** Encodes one DER value: tag, length, content. */
const der = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(contents)
  const size: Array<number> = []
  for (let rest = content.length; rest > 0; rest >>>= 8) size.unshift(rest & 0xff)
  const length = content.length < 128 ? [content.length] : [0x80 | size.length, ...size]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...contents: ReadonlyArray<Uint8Array>): Buffer => der(0x30, ...contents)
const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.from([0]), content)
const integer = (value: number): Buffer => der(0x02, Buffer.from([value]))
const date = (text: string): Buffer => der(0x18, Buffer.from(text))

/** ecdsa-with-SHA256 */
const algorithm = sequence(der(0x06, Buffer.from("2a8648ce3d040302", "hex")))
const name = sequence(
  der(
    0x31,
    // The common name.
    sequence(der(0x06, Buffer.from("550403", "hex")), der(0x0c, Buffer.from("localhost"))),
  ),
)

export interface SelfSigned {
  /** Key and certificate in PEM. */
  readonly key: string
  readonly cert: string
}

/** Makes a self-signed certificate. It is generated, so that the sources contain no key. */
export const selfSigned = (): SelfSigned => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    sequence(date("20200101000000Z"), date("20991231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  )
  const whole = sequence(body, algorithm, bits(sign("sha256", body, privateKey)))
  const lines = whole.toString("base64").replace(/.{64}/g, "$&\n")
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
