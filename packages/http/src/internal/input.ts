/**
 * Converts requests into the input of the engine.
 *
 * This module refuses nothing. It lists fields that it cannot read in `unreadable`. The engine reports them
 * together with the problems that its own rules find, after it has checked the key.
 */
import type { Caller } from "@countersign/core/services/Access"
import type { Channel } from "@countersign/core/domain/Channel"
import type { Details } from "@countersign/core/domain/Errors"
import * as FieldProblem from "@countersign/core/domain/FieldProblem"
import type { ListMessages, SendMessage } from "@countersign/core/services/Messages"
import type { CheckVerification, SendVerification } from "@countersign/core/services/Verifications"
import * as Redacted from "effect/Redacted"
import * as IsoDate from "../IsoDate.ts"

type Input<A extends Caller> = Omit<A, keyof Caller>

export type JsonObject = Readonly<Record<string, unknown>>

/** The fields of a body, by their names on the wire and in the engine. */
class Fields {
  readonly #body: JsonObject
  #unreadable: Details | undefined = undefined

  constructor(body: JsonObject) {
    this.#body = body
  }

  get unreadable(): Details | undefined {
    return this.#unreadable
  }

  #fault(field: string, problem: FieldProblem.FieldProblem): void {
    this.#unreadable = { ...this.#unreadable, [field]: [problem] }
  }

  text(name: string, field: string): string {
    const value = this.#body[name]
    if (typeof value === "string") return value
    this.#fault(field, FieldProblem.make(value === undefined ? "required" : "not_string", {}))
    return ""
  }

  optionalText(name: string, field: string): string | undefined {
    return this.#body[name] === undefined ? undefined : this.text(name, field)
  }

  /** Converts a value that is not a number into one that every rule refuses. */
  optionalInteger(name: string): number | undefined {
    const value = this.#body[name]
    if (value === undefined) return undefined
    return typeof value === "number" ? value : Number.NaN
  }

  optionalChannel(): Channel | undefined {
    const value = this.#body["channel"]
    if (value === undefined || value === "sms" || value === "whatsapp") return value
    this.#fault("channel", FieldProblem.make("unknown_channel", {}))
    return undefined
  }
}

export const sendMessage = (body: JsonObject): Input<SendMessage> => {
  const fields = new Fields(body)
  return {
    to: fields.text("to", "to"),
    text: fields.text("message", "text"),
    channel: fields.optionalChannel(),
    brand: fields.optionalText("brand_id", "brand"),
    unreadable: fields.unreadable,
  }
}

export const sendVerification = (body: JsonObject): Input<SendVerification> => {
  const fields = new Fields(body)
  return {
    phoneNumber: fields.text("phone_number", "phoneNumber"),
    channel: fields.optionalChannel(),
    codeLength: fields.optionalInteger("code_length"),
    expirySeconds: fields.optionalInteger("expiry"),
    locale: fields.optionalText("locale", "locale"),
    brand: fields.optionalText("brand_id", "brand"),
    unreadable: fields.unreadable,
  }
}

export const checkVerification = (body: JsonObject): Input<CheckVerification> => {
  const fields = new Fields(body)
  return {
    requestId: fields.text("request_id", "requestId"),
    code: Redacted.make(fields.text("code", "code"), { label: "code" }),
    unreadable: fields.unreadable,
  }
}

/** Returns the last segment of a request target's path without unescaping it, because ids need no escaping. */
export const lastSegment = (target: string): string => /([^/?]*)(?:\?|$)/.exec(target)?.[1] ?? ""

const everything: Input<ListMessages> = {}

/** Parses the query of a request target, which begins after its first question mark. */
export const listMessages = (target: string): Input<ListMessages> => {
  const mark = target.indexOf("?")
  if (mark < 0) return everything
  const query = new URLSearchParams(target.slice(mark + 1))
  const unreadable: Record<string, ReadonlyArray<FieldProblem.FieldProblem>> = {}
  const once = (name: string): string | undefined => {
    const [value, ...more] = query.getAll(name)
    if (more.length === 0) return value
    unreadable[name] = [FieldProblem.make("repeated", {})]
    return undefined
  }
  const integer = (name: string): number | undefined => {
    const text = once(name)
    if (text === undefined) return undefined
    return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  }
  const instant = (name: string, edge: IsoDate.Edge): number | undefined => {
    // A plus that was not escaped has become a space.
    const text = once(name)?.replace(/ (?=\d\d(?::?\d\d)?$)/, "+")
    if (text === undefined) return undefined
    const at = IsoDate.parse(text, edge)
    if (at === undefined) unreadable[name] = [FieldProblem.make("not_iso_date", {})]
    return at
  }
  return {
    limit: integer("limit"),
    page: integer("page"),
    from: instant("from", "start"),
    to: instant("to", "end"),
    unreadable,
  }
}
