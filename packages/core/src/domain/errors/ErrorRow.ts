/**
 * The rows of errors. The row of an error of the engine is the argument of its class. Everything else
 * that names errors follows from the rows; `pnpm codegen` writes what types cannot express.
 */
import * as Schema from "effect/Schema"
import { type FieldProblem, isFieldProblem } from "../values/FieldProblem.ts"
import * as Money from "../values/Money.ts"

/** The state of a request that an error body of the tenant interface names. */
type State = "pending" | "verified" | "expired" | "failed"

/** A sentence, or one for each value of the parameter `by`. Braces contain the name of a parameter. */
type Sentence = string | Readonly<Record<string, string>>

export interface Row {
  /** The status of both HTTP interfaces, and `httpStatus` of the promise API. */
  readonly status: number
  /** Where the status is another one: on `/messages` of the tenant interface, and in the admin API. */
  readonly statuses?: { readonly messages?: number; readonly admin?: number }
  readonly params: Schema.Struct.Fields
  /** For people, without a full stop. */
  readonly sentence: Sentence
  /** The parameter that selects the sentence, what follows it, and the label. */
  readonly by?: "reason" | "status"
  /** Follows the sentence, except in the tenant interface. */
  readonly more?: Sentence
  /** The cause, for developers. */
  readonly meaning: string
  /**
   * Whether the call cannot succeed any more. Others may succeed after `retryAfterSeconds`, or without it, after the
   * input or a setting has changed.
   */
  readonly isFinal?: boolean
  /** Advice for an app: its next step, or the text for its users. */
  readonly advice: string
  /** Whether only an operator can mend it, so that apps answer their users with a plain 503. */
  readonly isForOperators?: boolean
  /** A few words for lists of refused calls, if a call can be refused with it. */
  readonly label?: string
  readonly labels?: Readonly<Record<string, string>>
  /** The state of the request, if the body of the tenant interface names request and state. */
  readonly state?: State
  /** The name of the body in the tenant interface, if several errors share it. */
  readonly body?: "Forbidden" | "InternalError" | "NotSendable"
  /** Whether only the header has the time to wait. */
  readonly isWaitInHeader?: boolean
}

const param = <S extends Schema.Top>(schema: S, tsType: string, description: string) =>
  schema.annotate({ tsType, description })

/** Parameters of several errors. `tsType` is the type in the promise API. */
export const requestId = param(Schema.String, "string", "The id of the request.")
export const retryAfterSeconds = param(Schema.Int, "number", "Whole seconds, at least 1.")
/** In units of `Money`; a decimal outside of the engine. */
export const money = (description: string) => param(Schema.Int, "string", description)
export const textOrNull = (description: string) =>
  param(Schema.NullOr(Schema.String), "string | null", description)
export const count = (description: string) => param(Schema.Int, "number", description)
export const oneOf = <const L extends ReadonlyArray<string>>(
  literals: L,
  description: string,
  tsType = literals.map((literal) => `"${literal}"`).join(" | "),
) => param(Schema.Literals(literals), tsType, description)
const fieldProblem = Schema.declare(isFieldProblem)
export const problem = param(
  fieldProblem,
  "FieldProblem",
  "The reason. Its `code` begins with `brand_`, or is `no_default_brand`.",
)
export const details = param(
  Schema.Record(Schema.String, Schema.Array(fieldProblem)),
  "FieldProblems",
  "The problems of each invalid field, by the field's name.",
)

/** The problems of each invalid field, by its name. */
export type Details = Readonly<Record<string, ReadonlyArray<FieldProblem>>>

/** The parameters that are amounts: units in the engine, and decimals elsewhere. */
export const amounts: ReadonlyArray<string> = ["required", "available"]

/** The value of a parameter outside of the engine, where amounts are decimals. */
export const valueOf = (name: string, value: unknown): unknown =>
  typeof value === "number" && amounts.includes(name) ? Money.format(Money.fromUnits(value)) : value

const variantOf = ({ by }: Pick<Row, "by">, params: object, sentence: Sentence): string => {
  if (typeof sentence === "string") return sentence
  return sentence[by === undefined ? "" : String(Reflect.get(params, by))] ?? ""
}

const filled = (sentence: string, params: object): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(valueOf(name, Reflect.get(params, name))),
  )

/** The sentence of an error with these parameters. */
export const sentenceOf = (row: Pick<Row, "by" | "sentence">, params: object): string =>
  variantOf(row, params, row.sentence)

/** The sentence, and what follows it. */
export const fullSentenceOf = (row: Row, params: object): string => {
  const sentence = sentenceOf(row, params)
  return row.more === undefined
    ? sentence
    : `${sentence}${filled(variantOf(row, params, row.more), params)}`
}

/** Makes the class of an error from its tag and its row. */
export const error =
  <Self>() =>
  <Tag extends string, const R extends Row & { readonly code: string }>(tag: Tag, row: R) => {
    const base = Schema.TaggedError<Self>()<
      Tag,
      { readonly code: Schema.tag<R["code"]> } & R["params"]
    >(tag, { code: Schema.tag(row.code), ...row.params })
    const described = Object.assign(base, { row })
    const of: object = described
    const prototype: object = Reflect.get(of, "prototype")
    Object.defineProperty(prototype, "message", {
      get(this: object) {
        return fullSentenceOf(row, this)
      },
    })
    return described
  }
