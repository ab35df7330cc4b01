/** The page that describes each error. */
import { all, type ErrorEntry, paramsOf } from "./rows.ts"

const retryOf = ({ isFinal, params }: ErrorEntry): string => {
  if (isFinal === true) return ", final"
  return "retryAfterSeconds" in params ? ", retry after `retryAfterSeconds`" : ""
}

const statusesOf = ({ status, statuses }: ErrorEntry): string => {
  const others = [
    statuses?.messages === undefined ? [] : `${statuses.messages} on \`/messages\``,
    statuses?.admin === undefined ? [] : `${statuses.admin} in the admin API`,
  ].flat()
  return others.length === 0 ? String(status) : `${status} (${others.join(", ")})`
}

/** The sentences of its reasons. A single one adds nothing to the meaning. */
const sentencesOf = ({ by, sentence }: ErrorEntry): ReadonlyArray<string> =>
  typeof sentence === "string"
    ? []
    : Object.entries(sentence).map(([value, text]) => `- \`${by}: "${value}"\`: ${text}.`)

/** Pages that say more about an error. */
const guides: Readonly<Record<string, string>> = {
  sending_failed: "[When a send fails](guides/errors.md#when-a-send-fails) explains each reason.",
}

const sectionOf = (entry: ErrorEntry): string => {
  const { advice, code, isForOperators, meaning } = entry
  const guide = guides[code]
  const operators = isForOperators === true ? ", for operators" : ""
  const details = [
    ...sentencesOf(entry),
    ...paramsOf(entry)
      // Described at the top of the page.
      .filter(({ name }) => !["requestId", "retryAfterSeconds", entry.by].includes(name))
      .map(({ description, name }) => `- \`${name}\`: ${description}`),
  ]
  return `## ${code}

${meaning} ${advice}

_Status ${statusesOf(entry)}${retryOf(entry)}${operators}_
${details.length === 0 ? "" : `\n${details.join("\n")}\n`}${guide === undefined ? "" : `\n${guide}\n`}`
}

export const errorsPage = (): string => `
# Errors

Every error has a \`code\`: in the promise API, in the header \`Countersign-Error\` of HTTP, in the client and with Effect. \`error.docs\` names its section of this page. In the promise API it also has a class: \`wrong_code\` is \`WrongCodeError\`.

- “Status” is the status of HTTP, and \`httpStatus\` of the error.
- “Final”: the call cannot succeed any more. Other calls can succeed after a change of the input, the request or a setting.
- “For operators”: only an operator can mend it, and \`errorResponse\` answers with a plain 503.
- \`requestId\` is the id of the request, and \`retryAfterSeconds\` is in whole seconds, at least 1.

${all.map(sectionOf).join("\n")}`
