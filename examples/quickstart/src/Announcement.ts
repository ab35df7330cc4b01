/**
 * What is printed once requests are accepted: where things are, and lines to
 * paste. The lines read the key out of the data folder; it is never printed. The
 * password of the dashboard is, because a person types it.
 */

export interface Whereabouts {
  readonly baseUrl: string
  readonly inboxUrl: string
  readonly dashboardUrl: string
  readonly dashboardPassword: string
  /** Absolute. */
  readonly readyFile: string
  readonly dataDir: string
  readonly database: "embedded" | "server"
}

/** A shell word that stands for exactly this text. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const number = "+8801712345678"

/** Prints a part of the JSON that comes from standard input. */
const pick = (path: string): string => `node -p 'JSON.parse(require("fs").readFileSync(0))${path}'`

interface Trial {
  readonly title: string
  /** For a POSIX shell; later ones use the variables of earlier ones. */
  readonly commands: ReadonlyArray<string>
}

/** Ask for a code, read it on the phone, check it, send a message, look at what became of it. */
const trials = ({ baseUrl, inboxUrl, readyFile }: Whereabouts): ReadonlyArray<Trial> => {
  const curl = (path: string, body?: string): string =>
    `curl -s ${baseUrl}${path} -H "Authorization: Bearer $KEY"${
      body === undefined ? "" : ` -H "Content-Type: application/json" -d ${body}`
    }`
  return [
    {
      title: "Take the key of acme from the data folder",
      commands: [
        `KEY=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).organizations[0].apiKey' ${quoted(readyFile)})`,
      ],
    },
    {
      title: "Send a code, read it in the inbox, check it",
      commands: [
        `REQUEST=$(${curl("/verify", `'{"phone_number":"${number}"}'`)} | ${pick(".data.request_id")})`,
        `CODE=$(curl -s '${inboxUrl}/latest-code?to=${number}' | ${pick(".code")})`,
        `${curl("/verify/check", `'{"request_id":"'$REQUEST'","code":"'$CODE'"}'`)}; echo`,
      ],
    },
    {
      title: "Send a message over WhatsApp",
      commands: [
        `${curl("/messages", `'{"to":"${number}","channel":"whatsapp","message":"Your order is on its way."}'`)}; echo`,
      ],
    },
    {
      title: "See what is left, and what was sent",
      commands: [`${curl("/balance")}; echo`, `${curl("/messages")}; echo`],
    },
  ]
}

export const text = (whereabouts: Whereabouts): string => {
  const { baseUrl, dashboardPassword, dashboardUrl, database, dataDir, inboxUrl, readyFile } =
    whereabouts
  return [
    "",
    "Countersign is ready.",
    "",
    `  Service   ${baseUrl}`,
    `  Manual    ${baseUrl}/docs`,
    `  Inbox     ${inboxUrl}`,
    `  Dashboard ${dashboardUrl}`,
    `  Password  ${dashboardPassword}`,
    `  Keys      ${readyFile}`,
    `  Data      ${database === "embedded" ? dataDir : "on the server of DATABASE_URL"}`,
    "",
    "Nothing is really sent: messages go to the inbox. To try it, paste these into another terminal:",
    "",
    ...trials(whereabouts).flatMap(({ commands, title }) => [`  ${title}:`, "", ...commands, ""]),
  ].join("\n")
}
