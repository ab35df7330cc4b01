/** The tables of vendors' codes in the pages of their gateways, from the texts that the adapters show. */
import * as Meanings from "../../packages/gateways/src/internal/meanings.ts"
import { meanings as smpp } from "../../packages/gateways/src/internal/smpp/statuses.ts"
import type { Barrel } from "./barrels.ts"
import { generatedFile } from "./generatedFile.ts"
import { betweenMarkers, markdownTable } from "./markdownTable.ts"

const pages: Readonly<Record<string, Meanings.Meanings>> = {
  "alpha-sms": Meanings.alphaSms,
  bulksmsbd: Meanings.bulkSmsBd,
  mimsms: Meanings.mimSms,
  smpp,
  "ssl-wireless": Meanings.sslWireless,
  twilio: Meanings.twilio,
  vonage: Meanings.vonage,
  "whatsapp-cloud": Meanings.whatsApp,
}

export const readMeaningFiles = (): ReadonlyArray<Barrel> =>
  Object.entries(pages).map(([page, meanings]) =>
    generatedFile(`docs/gateways/${page}.md`, (text) =>
      betweenMarkers(
        "meanings",
        text,
        markdownTable([["code", "meaning"], ...Object.entries(meanings)]),
      ),
    ),
  )
