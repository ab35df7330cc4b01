/** Validates a description before its first use. */
import * as Duration from "@countersign/core/domain/values/Duration"
import * as Result from "effect/Result"
import { isPath } from "../json.ts"
import { conditionsOf, patternOf } from "./vendorResponses.ts"
import type {
  HttpCondition,
  HttpDescription,
  HttpRequestDescription,
  HttpSource,
  HttpWhen,
} from "../../HttpDescription.ts"
import { isTorn, namesIn, textsIn } from "./template.ts"

/** Placeholders of every request, of the first request, and of poll requests. */
const commonNames = ["to", "toNational", "token", "token20", "ref"]
const messageNames = [...commonNames, "sender", "text", "encoding"]
const pollNames = [...commonNames, "id"]

type Problems = ReadonlyArray<string>

const unless = (holds: boolean, problem: string): Problems => (holds ? [] : [problem])

/** Every template of a request, with its position. */
const templatesOf = ({ basic, body, headers, url }: HttpRequestDescription) => {
  const under = (where: string, texts: Readonly<Record<string, string>> = {}) =>
    Object.entries(texts).map(([key, text]) => [`${where}.${key}`, text] as const)
  return [
    ["url", url] as const,
    ...under("headers", headers),
    ...under("basic", basic),
    ...(body && "form" in body ? under("body.form", body.form) : []),
    ...(body && "text" in body ? [["body.text", body.text] as const] : []),
    ...(body && "json" in body ? textsIn(body.json) : []).map(
      (text) => ["body.json", text] as const,
    ),
  ]
}

/** The placeholders of a request. */
export const namesOf = (request: HttpRequestDescription): ReadonlySet<string> =>
  new Set(templatesOf(request).flatMap(([, template]) => namesIn(template)))

const urlProblems = (url: string): Problems => {
  const [, origin] = /^(https?:\/\/[^/?#]*)/.exec(url) ?? []
  if (origin === undefined) return ["url: it has to begin with http:// or https://"]
  if (origin.includes("{")) return ["url: a placeholder may stand in the path and the query only"]
  if (origin.includes("@")) return ["url: a password does not belong there; use basic"]
  return unless(URL.canParse(url.replaceAll(/[{}]/g, "")), "url: it is no address")
}

const bodyProblems = ({ body, method = "POST" }: HttpRequestDescription): Problems => {
  if (method === "GET") return unless(body === undefined, "body: a GET has none")
  if (body === undefined || !("text" in body)) return []
  const { contentType } = body
  return unless(
    /^text\/plain\b/i.test(contentType) || /xml/i.test(contentType),
    `body.contentType: no encoding of a value is known for "${contentType}"; use form or json`,
  )
}

const requestProblems = (
  request: HttpRequestDescription,
  known: ReadonlyArray<string>,
): Problems => [
  ...urlProblems(request.url),
  ...bodyProblems(request),
  ...Object.keys(request.headers ?? {}).flatMap((name) =>
    unless(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name), `headers: "${name}" is no name of a header`),
  ),
  ...templatesOf(request).flatMap(([where, template]) => [
    ...unless(!isTorn(template), `${where}: a brace stands alone; write {{ or }}`),
    ...namesIn(template).flatMap((name) =>
      unless(known.includes(name), `${where}: nothing is known as {${name}}`),
    ),
  ]),
]

const patternProblems = (text: string, groups: number): Problems => {
  try {
    const pattern = patternOf(text)
    const found = (new RegExp(`${pattern.source}|`, "iu").exec("")?.length ?? 1) - 1
    return unless(found >= groups, `"${text}" needs a group for what is looked for`)
  } catch {
    return [`"${text}" is no pattern`]
  }
}

const pathProblems = (path: string): Problems =>
  unless(isPath(path), `"${path}" is no path; write one like data.items[0].status`)

const conditionProblems = ({ equals, matches, path, status }: HttpCondition): Problems => [
  ...unless(
    status !== undefined || path !== undefined || matches !== undefined,
    "a condition needs a status, a path or a pattern",
  ),
  ...unless(equals === undefined || path !== undefined, "equals needs a path"),
  ...(path === undefined ? [] : pathProblems(path)),
  ...(matches === undefined ? [] : patternProblems(matches, 0)),
]

const whenProblems = (when: HttpWhen): Problems => [
  ...unless(conditionsOf(when).length > 0, "a condition is missing"),
  ...conditionsOf(when).flatMap(conditionProblems),
]

const sourceProblems = (source: HttpSource | undefined): Problems => {
  if (source === undefined) return []
  return "path" in source ? pathProblems(source.path) : patternProblems(source.pattern, 1)
}

const isStatusAlone = (when: HttpWhen): boolean =>
  conditionsOf(when).every(({ matches, path }) => path === undefined && matches === undefined)

const under = (where: string, problems: Problems): Problems =>
  problems.map((problem) => `${where}: ${problem}`)

const isTaken = ({ means }: HttpDescription["outcomes"][number]): boolean =>
  means === "accepted" || means === "delivered"

const durationProblems = (
  name: string,
  value: unknown,
  bounds = { min: 0, max: Duration.maxMillis },
): Problems =>
  value === undefined
    ? []
    : Result.match(Duration.within(value, bounds), {
        onSuccess: () => [],
        onFailure: ({ message }) => [`${name} ${message}`],
      })

const outcomeProblems = ({ outcomes }: HttpDescription): Problems => [
  ...outcomes.flatMap((outcome, index) => {
    const { means, retryAfter, when } = outcome
    return under(`outcomes[${index}]`, [
      ...whenProblems(when),
      ...unless(
        !isTaken(outcome) || !isStatusAlone(when),
        "a status alone does not prove that a message was taken; say what the answer holds",
      ),
      ...unless(retryAfter === undefined || means === "throttled", "retryAfter is for throttled"),
      ...durationProblems("retryAfter", retryAfter),
    ])
  }),
  ...unless(outcomes.some(isTaken), "outcomes: no answer means that a message was taken"),
]

const pollProblems = ({ id, poll }: HttpDescription, known: ReadonlyArray<string>): Problems => {
  if (poll === undefined) return []
  const { end = "1 day", first = "5 seconds", longest = "10 minutes", request, statuses } = poll
  const times = [first, longest, end].map((time) =>
    Result.getOrElse(Duration.toMillis(time), () => 0),
  )
  const [firstMillis = 0, longestMillis = 0, endMillis = 0] = times
  const names = namesOf(request)
  return under("poll", [
    ...under("request", requestProblems(request, known)),
    ...under("message", sourceProblems(poll.message)),
    ...Object.entries(poll.evidence ?? {}).flatMap(([name, source]) =>
      under(`evidence.${name}`, sourceProblems(source)),
    ),
    ...statuses.flatMap(({ when }, index) => under(`statuses[${index}]`, whenProblems(when))),
    ...unless(
      statuses.some(({ status }) => status !== "accepted"),
      "no status is a last word",
    ),
    ...unless(
      ["id", "ref", "token", "token20"].some((name) => names.has(name)),
      "the request does not say which message it is about",
    ),
    ...unless(!names.has("id") || id !== undefined, "{id} needs the description's id"),
    ...unless(
      1_000 <= firstMillis && firstMillis <= longestMillis && longestMillis <= endMillis,
      "1 second <= first <= longest <= end does not hold",
    ),
  ])
}

/** Bounds of the timeout of a dispatch. */
const timeoutMillis = { min: 1, max: 120_000 }

const placeholderProblems = (
  own: ReadonlyArray<string>,
  secrets: ReadonlyArray<string>,
  names: ReadonlySet<string>,
): Problems => [
  ...own.flatMap((name, index) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [`"${name}" is no name of a placeholder`]
    if ([...messageNames, ...pollNames].includes(name)) return [`{${name}} has a meaning already`]
    return unless(own.indexOf(name) === index, `{${name}} is named twice`)
  }),
  ...secrets.flatMap((name) => unless(names.has(name), `the secret {${name}} is used nowhere`)),
]

const settingProblems = (self: HttpDescription, own: ReadonlyArray<string>): Problems => {
  const { country, idLifetime, timeout, tokenLifetime = "0 seconds" } = self
  const tokenMillis = Result.getOrElse(Duration.toMillis(tokenLifetime), () => 0)
  const inPoll = self.poll === undefined ? [] : namesOf(self.poll.request)
  const names = new Set([...namesOf(self.request), ...inPoll])
  const has = (...some: ReadonlyArray<string>) => some.some((name) => names.has(name))
  const needsCountry = self.recipient === "national" || has("toNational")
  return [
    ...placeholderProblems(own, self.secrets ?? [], names),
    ...unless(
      !needsCountry || country !== undefined,
      "a number in national form needs the country",
    ),
    ...unless(
      country === undefined ||
        (/^[1-9]\d{0,3}$/.test(country.code) && /^\d{0,4}$/.test(country.trunk)),
      'country: write it like { "code": "880", "trunk": "0" }',
    ),
    ...unless(!has("encoding") || self.encodings !== undefined, "{encoding} needs encodings"),
    ...unless(has("to", "toNational"), "the request does not say to whom"),
    ...unless(has("text"), "the request does not hold the text"),
    ...durationProblems("tokenLifetime", tokenLifetime),
    ...durationProblems("idLifetime", idLifetime),
    ...unless(
      tokenMillis === 0 || has("token", "token20"),
      "tokenLifetime: the request has no {token}",
    ),
    ...durationProblems("timeout", timeout, timeoutMillis),
  ]
}

/** Returns one sentence per problem; empty for a valid description. */
export const problemsOf = (self: HttpDescription): Problems => {
  const own = [...(self.secrets ?? []), ...Object.keys(self.values ?? {})]
  return [
    ...under("request", requestProblems(self.request, [...messageNames, ...own])),
    ...settingProblems(self, own),
    ...outcomeProblems(self),
    ...under("id", sourceProblems(self.id)),
    ...under("segments", sourceProblems(self.segments)),
    ...under("message", sourceProblems(self.message)),
    ...under("code", sourceProblems(self.code)),
    ...pollProblems(self, [...pollNames, ...own]),
  ]
}
