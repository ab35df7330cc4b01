/** A phone number as people type or paste it. */
const separators = /[\s\p{Dash}\p{Default_Ignorable_Code_Point}()./]/gu

/** Replaces the digits of Bangla with ASCII digits. */
export const asciiDigits = (text: string): string =>
  text.replaceAll(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - 0x09e6))

/**
 * The E.164 form of a number that has a country code, or of a mobile number as it is dialed in Bangladesh. Other
 * text stays as it is, for the service to refuse.
 */
export const typedNumber = (text: string): string => {
  const compact = asciiDigits(text).replaceAll(separators, "")
  if (/^01[3-9]\d{8}$/.test(compact)) return `+88${compact}`
  if (/^00[1-9]\d{6,14}$/.test(compact)) return `+${compact.slice(2)}`
  return /^\+?[1-9]\d{6,14}$/.test(compact) ? `+${compact.replace("+", "")}` : text.trim()
}
