import type { OfRequest, Prepared } from "countersign"

/** An app on one of the libraries. */
export interface Host {
  readonly signUp: (phoneNumber: string, later: OfRequest & Prepared) => Promise<unknown>
  readonly close: () => Promise<unknown>
}

export type Open = (url: string) => Promise<Host>
