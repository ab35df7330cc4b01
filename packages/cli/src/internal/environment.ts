/**
 * The settings that the commands read from the environment: the secrets of the host and its gateways.
 *
 * Several secrets are separated by spaces or line breaks, or are a list of texts in JSON.
 */
import * as Records from "@countersign/core/domain/organizations/RecordOptions"
import * as Money from "@countersign/core/domain/values/Money"
import { type Item, perSegment, Pricing, standard } from "@countersign/core/decide/Pricing"
import {
  CodeSecrets,
  minSecretLength,
  layer as layerCodeSecrets,
} from "@countersign/core/engine/CodeSecrets"
import { type NumberKey, numberKeyOf } from "@countersign/postgres/PostgresStore"
import * as Config from "effect/Config"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { UsageError } from "./failures.ts"

export const variables = {
  secret: "COUNTERSIGN_SECRET",
  phoneNumberSecret: "COUNTERSIGN_PHONE_NUMBER_SECRET",
  recordsOff: "COUNTERSIGN_RECORDS_OFF",
  currency: "COUNTERSIGN_CURRENCY",
  prices: "COUNTERSIGN_PRICES",
} as const

/** The text of a variable; `undefined` if it is not set or empty. A broken source of variables is a defect. */
const readVariable = (name: string) =>
  Effect.map(Effect.orDie(Config.option(Config.Redacted(name))), (value) => {
    const text = Option.match(value, { onNone: () => "", onSome: Redacted.value }).trim()
    return text === "" ? undefined : text
  })

/** As `readVariable`, or the text of the file that `NAME_FILE` names. */
export const read = Effect.fnUntraced(function* (name: string) {
  const text = yield* readVariable(name)
  const file = yield* readVariable(`${name}_FILE`)
  if (file === undefined) return text
  if (text !== undefined) {
    const message = `${name} and ${name}_FILE are both set; set one of them`
    return yield* new UsageError({ message })
  }
  return yield* Effect.tryPromise({
    try: async () => (await readFile(file, "utf8")).trim(),
    catch: () => new UsageError({ message: `${name}_FILE: the file ${file} cannot be read` }),
  })
})

const SecretTexts = Schema.fromJsonString(Schema.Array(Schema.String))

/** Reads and checks secrets. The message contains none. */
const secretsIn = (label: string, text: string) => {
  const list = text.startsWith("[")
    ? Option.getOrElse(Schema.decodeOption(SecretTexts)(text), () => [""])
    : text.split(/\s+/)
  const isValid = list.every((secret) => secret.length >= minSecretLength)
  return isValid && new Set(list).size === list.length
    ? Effect.succeed(list.map((secret) => Redacted.make(secret, { label })))
    : new UsageError({
        message: `${label} must have different secrets of at least ${minSecretLength} characters. Separate several by spaces, the current one first, or write them as a JSON list of texts.`,
      })
}

/** The kinds of records that the host keeps. All processes on a database must have the same value. */
const records = Effect.gen(function* () {
  const off = (yield* read(variables.recordsOff))?.split(/[\s,]+/) ?? []
  const known = Struct.keys(Records.defaults).filter((name) => Records.defaults[name])
  const unknown = off.find((name) => !known.some((one) => one === name))
  if (unknown !== undefined) {
    return yield* new UsageError({
      message: `${variables.recordsOff} may name ${known.join(", ")}, and not ${unknown}`,
    })
  }
  return Record.map(Records.defaults, (isOn, name) => isOn && !off.includes(name))
})

/** The keys of phone numbers, the current one first. */
export const numberKeys: Effect.Effect<ReadonlyArray<NumberKey>, UsageError> = Effect.flatMap(
  read(variables.phoneNumberSecret),
  (text) =>
    text === undefined
      ? Effect.succeed([])
      : Effect.map(secretsIn(variables.phoneNumberSecret, text), Array.map(numberKeyOf)),
)

/** The secret that an engine has generated into its data folder. */
const keptIn = (folder: string) =>
  Effect.promise(() => readFile(join(folder, "secret"), "utf8").catch(() => "")).pipe(
    Effect.map((text) => text.trim()),
    Effect.map((text) => (text === "" ? [] : [Redacted.make(text, { label: variables.secret })])),
  )

/** The secrets, the current one first; empty if the environment and the folder have none. */
export const secrets = Effect.fnUntraced(function* (folder: string | undefined) {
  const text = yield* read(variables.secret)
  if (text !== undefined) return yield* secretsIn(variables.secret, text)
  return folder === undefined ? [] : yield* keptIn(folder)
})

/** Secrets of a command that needs none. A use of them ends the command with what is missing. */
const missing: CodeSecrets["Service"] = {
  get current(): never {
    throw noSecret
  },
  get all(): never {
    throw noSecret
  },
}

const noSecret = new UsageError({
  message: `${variables.secret} is not set. This command needs the secret of the engine.`,
})

/** The secrets of the environment, or of the data folder. */
export const layerOfSecrets = (folder: string | undefined): Layer.Layer<CodeSecrets, UsageError> =>
  Layer.unwrap(
    Effect.map(secrets(folder), ([current, ...retiring]) =>
      current === undefined
        ? Layer.succeed(CodeSecrets, missing)
        : layerCodeSecrets(current, ...retiring),
    ),
  )

const Amount = Schema.String.check(
  Schema.makeFilter((text) => {
    const amount = Money.fromDecimal(text)
    return Result.isSuccess(amount) && amount.success >= 0
  }),
)

/** The option `prices` of the host, without its function. */
const Prices = Schema.fromJsonString(
  Schema.Struct({
    sms: Schema.optionalKey(Amount),
    whatsapp: Schema.optionalKey(Amount),
    per: Schema.optionalKey(Schema.Literals(["message", "segment"])),
    currency: Schema.optionalKey(Schema.String),
  }),
)

/** Whether the environment has the prices of the host. Otherwise the prices of the engine are assumed. */
export const hasPrices = Effect.map(read(variables.prices), (text) => text !== undefined)

/** The prices of the host, as far as the environment has them. */
const pricing = Effect.gen(function* () {
  const currency = yield* read(variables.currency)
  const text = yield* read(variables.prices)
  if (text === undefined) {
    return { ...standard, currency: currency ?? standard.currency }
  }
  const prices = Schema.decodeOption(Prices)(text, { onExcessProperty: "error" })
  if (Option.isNone(prices)) {
    return yield* new UsageError({
      message: `${variables.prices} must have the prices of your app as JSON: {"sms":"0.50","whatsapp":"0.20","per":"segment"}`,
    })
  }
  const { per = "message", sms: ofSms = "0", whatsapp: ofWhatsapp = "0", ...named } = prices.value
  const amounts = { sms: Money.make(ofSms), whatsapp: Money.make(ofWhatsapp) }
  const own = { ...amounts, currency: named.currency ?? currency ?? standard.currency }
  if (per === "segment") return perSegment(own)
  return { currency: own.currency, price: ({ channel }: Item) => amounts[channel] }
})

/** The settings of the host for all of its processes. */
export const layerOfHost = Layer.mergeAll(
  Layer.effect(Records.Records, records),
  Layer.effect(Pricing, pricing),
)
