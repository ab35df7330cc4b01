/** Validates a description before its first use. */
import * as Duration from "@countersign/core/domain/values/Duration"
import * as Result from "effect/Result"
import { isPath } from "../json.ts"
import { conditionsOf, patternOf } from "./vendorResponses.ts"
import type * as Types from "../../HttpDescription.ts"
import { isTorn, namesIn, textsIn } from "./template.ts"

/** Placeholders of every request, of the first request, and of poll requests. */
const commonNames = ["to", "toNational", "token", "token20", "ref"]
const messageNames = [...commonNames, "sender", "text", "encoding", "class"]
const pollNames = [...commonNames, "id"]

type Problems = ReadonlyArray<string>

/** Sentences, lists of sentences, and `true` where there is no problem. */
type Found = ReadonlyArray<string | true | Problems>

const problemsIn = (...found: Found) => found.flat().filter((one) => typeof one === "string")

/** Every template of a request, with its position. */
const templatesOf = ({ basic, body, headers, url }: Types.HttpRequestDescription) => {
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
export const namesOf = (request: Types.HttpRequestDescription): ReadonlySet<string> =>
  new Set(templatesOf(request).flatMap(([, template]) => namesIn(template)))

const urlProblems = (url: string): Problems => {
  const [, origin] = /^(https?:\/\/[^/?#]*)/.exec(url) ?? []
  if (origin === undefined) return ["url: it has to begin with http:// or https://"]
  return problemsIn(
    !origin.includes("{") || "url: a placeholder may stand in the path and the query only",
    !origin.includes("@") || "url: a password does not belong there; use basic",
    URL.canParse(url.replaceAll(/[{}]/g, "")) || "url: it is no address",
  )
}

const bodyProblems = ({ body, method = "POST" }: Types.HttpRequestDescription): Problems => {
  if (method === "GET") return problemsIn(body === undefined || "body: a GET has none")
  if (body === undefined || !("text" in body)) return []
  const { contentType } = body
  return problemsIn(
    /^text\/plain\b|xml/i.test(contentType) ||
      `body.contentType: no encoding of a value is known for "${contentType}"; use form or json`,
  )
}

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

const requestProblems = (request: Types.HttpRequestDescription, known: ReadonlyArray<string>) =>
  problemsIn(
    urlProblems(request.url),
    bodyProblems(request),
    ...Object.keys(request.headers ?? {}).map(
      (name) => headerName.test(name) || `headers: "${name}" is no name of a header`,
    ),
    ...templatesOf(request).map(([where, template]) =>
      problemsIn(
        !isTorn(template) || `${where}: a brace stands alone; write {{ or }}`,
        ...namesIn(template).map(
          (name) => known.includes(name) || `${where}: nothing is known as {${name}}`,
        ),
      ),
    ),
  )

const patternProblems = (text: string, groups: number): Problems => {
  try {
    const pattern = patternOf(text)
    const found = (new RegExp(`${pattern.source}|`, "iu").exec("")?.length ?? 1) - 1
    return problemsIn(found >= groups || `"${text}" needs a group for what is looked for`)
  } catch {
    return [`"${text}" is no pattern`]
  }
}

const pathProblems = (path: string): Problems =>
  problemsIn(isPath(path) || `"${path}" is no path; write one like data.items[0].status`)

const conditionProblems = ({ equals, matches, path, status }: Types.HttpCondition): Problems =>
  problemsIn(
    [status, path, matches].some((part) => part !== undefined) ||
      "a condition needs a status, a path or a pattern",
    equals === undefined || path !== undefined || "equals needs a path",
    path === undefined || pathProblems(path),
    matches === undefined || patternProblems(matches, 0),
  )

const whenProblems = (when: Types.HttpWhen): Problems =>
  problemsIn(
    conditionsOf(when).length > 0 || "a condition is missing",
    ...conditionsOf(when).map(conditionProblems),
  )

const sourceProblems = (source: Types.HttpSource | undefined): Problems => {
  if (source === undefined) return []
  return "path" in source ? pathProblems(source.path) : patternProblems(source.pattern, 1)
}

const isStatusAlone = (when: Types.HttpWhen): boolean =>
  conditionsOf(when).every(({ matches, path }) => path === undefined && matches === undefined)

const under = (where: string, ...found: Found): Problems =>
  problemsIn(...found).map((problem) => `${where}: ${problem}`)

const isTaken = ({ means }: Types.HttpDescription["outcomes"][number]): boolean =>
  means === "accepted" || means === "delivered"

const durationProblem = (name: string, value: unknown, max = Duration.maxMillis, min = 0) => {
  const read = value === undefined ? undefined : Duration.within(value, { min, max })
  return read === undefined || Result.isSuccess(read) || `${name} ${read.failure.message}`
}

const outcomeProblems = ({ outcomes }: Types.HttpDescription): Problems =>
  problemsIn(
    ...outcomes.map((outcome, index) => {
      const { means, retryAfter, when } = outcome
      return under(
        `outcomes[${index}]`,
        whenProblems(when),
        !isTaken(outcome) ||
          !isStatusAlone(when) ||
          "a status alone does not prove that a message was taken; say what the answer holds",
        retryAfter === undefined || means === "throttled" || "retryAfter is for throttled",
        durationProblem("retryAfter", retryAfter),
      )
    }),
    outcomes.some(isTaken) || "outcomes: no answer means that a message was taken",
  )

/** The milliseconds of a duration; 0 for one that is reported as a problem. */
const millisOf = (value: unknown): number => Result.getOrElse(Duration.toMillis(value), () => 0)

const pollProblems = (
  { id, poll }: Types.HttpDescription,
  known: ReadonlyArray<string>,
): Problems => {
  if (poll === undefined) return []
  const { end = "1 day", first = "5 seconds", longest = "10 minutes", request, statuses } = poll
  const times = [1_000, millisOf(first), millisOf(longest), millisOf(end)]
  const names = namesOf(request)
  return under(
    "poll",
    under("request", requestProblems(request, known)),
    under("message", sourceProblems(poll.message)),
    ...Object.entries(poll.evidence ?? {}).map(([name, source]) =>
      under(`evidence.${name}`, sourceProblems(source)),
    ),
    ...statuses.map(({ when }, index) => under(`statuses[${index}]`, whenProblems(when))),
    statuses.some(({ status }) => status !== "accepted") || "no status is a last word",
    ["id", "ref", "token", "token20"].some((name) => names.has(name)) ||
      "the request does not say which message it is about",
    !names.has("id") || id !== undefined || "{id} needs the description's id",
    times.every((time, index) => time >= (times[index - 1] ?? 0)) ||
      "1 second <= first <= longest <= end does not hold",
  )
}

const placeholderProblems = (own: ReadonlyArray<string>): Problems =>
  own.flatMap((name, index) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [`"${name}" is no name of a placeholder`]
    if ([...messageNames, ...pollNames].includes(name)) return [`{${name}} has a meaning already`]
    return problemsIn(own.indexOf(name) === index || `{${name}} is named twice`)
  })

const settingProblems = (self: Types.HttpDescription, own: ReadonlyArray<string>): Problems => {
  const { country, idLifetime, poll, secrets = [], timeout, tokenLifetime = "0 seconds" } = self
  const names = new Set([...namesOf(self.request), ...(poll ? namesOf(poll.request) : [])])
  const has = (...some: ReadonlyArray<string>) => some.some((name) => names.has(name))
  const needsCountry = self.recipient === "national" || has("toNational")
  return problemsIn(
    placeholderProblems(own),
    ...secrets.map((name) => has(name) || `the secret {${name}} is used nowhere`),
    !needsCountry || country !== undefined || "a number in national form needs the country",
    country === undefined ||
      (/^[1-9]\d{0,3}$/.test(country.code) && /^\d{0,4}$/.test(country.trunk)) ||
      'country: write it like { "code": "880", "trunk": "0" }',
    !has("encoding") || self.encodings !== undefined || "{encoding} needs encodings",
    has("to", "toNational") || "the request does not say to whom",
    has("text") || "the request does not hold the text",
    durationProblem("tokenLifetime", tokenLifetime),
    durationProblem("idLifetime", idLifetime),
    millisOf(tokenLifetime) === 0 ||
      has("token", "token20") ||
      "tokenLifetime: the request has no {token}",
    durationProblem("timeout", timeout, 120_000, 1),
  )
}

/** Returns one sentence per problem; empty for a valid description. */
export const problemsOf = (self: Types.HttpDescription): Problems => {
  const own = [...(self.secrets ?? []), ...Object.keys(self.values ?? {})]
  return problemsIn(
    under("request", requestProblems(self.request, [...messageNames, ...own])),
    settingProblems(self, own),
    outcomeProblems(self),
    under("id", sourceProblems(self.id)),
    under("segments", sourceProblems(self.segments)),
    under("message", sourceProblems(self.message)),
    under("code", sourceProblems(self.code)),
    self.meanings === undefined || self.code !== undefined || "meanings need the code",
    pollProblems(self, [...pollNames, ...own]),
  )
}
