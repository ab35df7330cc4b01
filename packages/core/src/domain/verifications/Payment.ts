/** A payment that a user approves with a code. */
import * as FieldProblem from "../values/FieldProblem.ts"
import * as Fields from "../values/FieldReaders.ts"
import { isObject } from "../values/internal/checks.ts"

export interface Payment {
  /** As people read it, with its currency. */
  readonly amount: string
  readonly payee: string
}

/** Reads a payment from untyped input. */
export const read: Fields.Reader<Payment> = (value) => {
  if (!isObject(value)) return FieldProblem.make("not_object", {})
  const amount = Fields.text(value["amount"])
  const payee = Fields.text(value["payee"])
  if (typeof amount !== "string") return amount
  return typeof payee === "string" ? { amount, payee } : payee
}
