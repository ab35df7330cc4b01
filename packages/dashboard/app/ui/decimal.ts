/** Sums of decimals, exact. */
const scale = 12

const unitsOf = (decimal: string): bigint => {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? []
  const units = BigInt(whole + fraction.padEnd(scale, "0").slice(0, scale))
  return sign === "-" ? -units : units
}

const decimalOf = (units: bigint): string => {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0")
  const fraction = digits.slice(-scale).replace(/0+$/, "").padEnd(2, "0")
  return `${units < 0n ? "-" : ""}${digits.slice(0, -scale)}.${fraction}`
}

export const sum = (decimals: ReadonlyArray<string>): string =>
  decimalOf(decimals.reduce((total, decimal) => total + unitsOf(decimal), 0n))

export const minus = (from: string, decimal: string): string =>
  decimalOf(unitsOf(from) - unitsOf(decimal))
