const encoder = new TextEncoder()

/** The bytes of a text. Most texts here are short and ASCII, for which a loop is faster than the encoder. */
export const utf8 = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) return encoder.encode(text)
    bytes[at] = unit
  }
  return bytes
}
