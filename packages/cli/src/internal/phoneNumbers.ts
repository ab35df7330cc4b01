/**
 * Phone numbers as people type them. A number without a country code belongs to `COUNTERSIGN_COUNTRY`, or to
 * Bangladesh, as in the dashboard.
 */
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const variable = "COUNTERSIGN_COUNTRY"

const country = Config.String(variable).pipe(Config.withDefault("BD"))

/** The E.164 form. Other text stays as it is, for the service to refuse. */
const read = Effect.fnUntraced(function* (text: string) {
  const home = yield* Effect.orDie(country)
  const parsed = yield* Effect.try({
    try: () => PhoneNumber.parseLenient(text, { country: home }),
    catch: () =>
      new CliError.InvalidValue({
        option: variable,
        value: home,
        expected: 'the code of a country, such as "BD"',
        kind: "flag",
      }),
  })
  return Result.getOrElse(parsed, () => text)
})

export const phoneNumberFlag = (name: string, description: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.mapEffect(read))

export const phoneNumberArgument = Argument.String("phone-number").pipe(
  Argument.withDescription("The number: +8801712345678, or 01712345678"),
  Argument.mapEffect(read),
)
