import * as Input from "@countersign/core/codec/InputReaders"
import { maxActorLength } from "@countersign/core/domain/access/AuditEntry"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"

/** The reason of a change, as the audit keeps it. It has visible characters. */
export const reasonOf = (name: string, given: string) => {
  const reason = given.replace(/\p{C}+/gu, " ").trim()
  const max = maxActorLength
  return Input.field(
    name,
    reason.length > max ? FieldProblem.make("too_long", { max }) : Input.id(reason),
  )
}
