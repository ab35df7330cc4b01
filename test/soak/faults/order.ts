import type { Ability } from "./Vendor.ts"

/** What a process gets as its argument. */
export interface Order {
  readonly url: string
  /** The address of the vendor. */
  readonly vendor: string
  readonly ability: Ability
  readonly nodes: number
  readonly clients: number
  /** The number of its first intent. */
  readonly first: number
  /** The point at which it kills itself, and how often it passes it. */
  readonly crash?: { readonly point: string; readonly count: number } | undefined
}

export const parseOrder = (json: string): Order => JSON.parse(json)
