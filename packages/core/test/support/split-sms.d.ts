/** The API that the tests use of a package without types. */
declare module "split-sms" {
  export interface Split {
    readonly characterSet: "GSM" | "Unicode"
    /** `bytes` are septets, or twice the 16-bit units. */
    readonly parts: ReadonlyArray<{ readonly content: string; readonly bytes: number }>
    readonly bytes: number
    readonly remainingInPart: number
  }
  export const split: (message: string) => Split
}
