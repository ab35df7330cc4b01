/** The texts that a person types for a code. */
import type { TypedCode } from "./scenario.ts"

const wrongDigits = (code: string): string =>
  code.slice(0, -1) + String((Number(code.at(-1)) + 1) % 10)

const inBangla = (code: string): string =>
  code.replace(/\d/g, (digit) => String.fromCharCode(0x09e6 + Number(digit)))

export const typed = (kind: TypedCode, code = "0123"): string =>
  ({
    right: code,
    wrong: wrongDigits(code),
    spaced: ` ${code.slice(0, 3)}-${code.slice(3)}\u200b`,
    bangla: inBangla(code),
    letters: "😀 OR 1=1",
    empty: "",
    long: code.repeat(9),
  })[kind]
