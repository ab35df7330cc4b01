import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { FraudDryRun } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { fraud as english } from "../../i18n/en/fraud.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Code } from "../../ui/data.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { isoOf } from "../../ui/localTime.ts"
import { Section } from "../../ui/page.tsx"
import { Empty } from "../../ui/states.tsx"
import { durationText } from "../settings/windows.ts"
import { Table } from "../../ui/table.tsx"
import { Tile, Tiles } from "../../ui/tiles.tsx"

const rules = ["prefixDigits", "window", "maxSent", "minSent", "minConversion"] as const

type Rule = (typeof rules)[number]

const Result = ({ trial }: { readonly trial: FraudDryRun }) => {
  const { format, t } = useTexts(english)
  const share = (part: number, of: number) => (of === 0 ? "—" : format.percent(part / of))
  return (
    <div className="result">
      <Tiles>
        <Tile label={t.fraud.codes} value={format.number(trial.codes)} />
        <Tile
          label={t.fraud.denied}
          value={format.number(trial.denied)}
          note={share(trial.denied, trial.codes)}
        />
        <Tile
          label={t.fraud.deniedVerified}
          value={format.number(trial.deniedVerified)}
          note={t.fraud.deniedVerifiedHint}
        />
      </Tiles>
      {trial.examinedFrom !== null && (
        <p className="table-note">
          {fill(t.fraud.examinedFrom, { time: format.time(trial.examinedFrom) })}
        </p>
      )}
      {trial.erased > 0 && (
        <p className="table-note">{fill(t.fraud.erased, { count: format.number(trial.erased) })}</p>
      )}
      {trial.prefixes.length === 0 ? (
        <Empty title={t.fraud.trialEmpty} />
      ) : (
        <Table
          label={t.fraud.trial}
          rows={trial.prefixes}
          rowKey={({ prefix }) => prefix}
          columns={[
            { key: "prefix", title: t.fraud.prefix, cell: ({ prefix }) => <Code>{prefix}</Code> },
            {
              key: "reason",
              title: t.fraud.reason,
              cell: ({ reasons }) => format.list(reasons.map((reason) => t.fraud[reason])),
            },
            {
              key: "codes",
              title: t.fraud.codes,
              align: "end",
              cell: ({ codes }) => format.number(codes),
            },
            {
              key: "denied",
              title: t.fraud.denied,
              align: "end",
              cell: ({ denied }) => format.number(denied),
            },
            {
              key: "deniedVerified",
              title: t.fraud.deniedVerified,
              align: "end",
              cell: ({ deniedVerified }) => format.number(deniedVerified),
            },
            {
              key: "rate",
              title: t.fraud.rate,
              align: "end",
              wide: true,
              cell: ({ codes, verified }) => share(verified, codes),
            },
          ]}
        />
      )}
    </div>
  )
}

/** Tries fraud rules on past requests, before they deny anything. */
export const Trial = () => {
  const { t } = useTexts(english)
  const { host } = useSession()
  const { api } = useOrganization()
  const [texts, setTexts] = useState<Readonly<Record<Rule, string>>>({
    prefixDigits: String(host.fraud?.prefixDigits ?? 5),
    window: host.fraud?.window ?? "1 hour",
    maxSent: String(host.fraud?.maxSent ?? ""),
    minSent: String(host.fraud?.minSent ?? 100),
    minConversion: String(host.fraud?.minConversion ?? 0),
  })
  const [from, setFrom] = useState("")
  const [to, setTo] = useState("")
  const write = useWrite<FraudDryRun>()
  const run = () => {
    const given = rules.flatMap((rule) => {
      const { [rule]: text } = texts
      if (text === "") return []
      return [[rule, rule === "window" ? durationText(text) : Number(text)]]
    })
    const body = {
      rules: Object.fromEntries(given),
      ...(from === "" ? {} : { from: isoOf(from) }),
      ...(to === "" ? {} : { to: isoOf(to) }),
    }
    write.mutate({ method: "POST", path: api("fraud/trial"), body })
  }
  const hints: Partial<Record<Rule, string>> = {
    prefixDigits: t.fraud.prefixDigitsHint,
    minConversion: t.fraud.minConversionHint,
  }
  return (
    <Section title={t.fraud.trial} intro={t.fraud.trialIntro}>
      <Form
        className="panel form"
        error={write.error}
        fields={[...rules, "from", "to"]}
        onSubmit={run}
      >
        <div className="fields">
          {rules.map((rule) => (
            <TextField
              key={rule}
              name={rule}
              label={t.fraud[rule]}
              hint={hints[rule]}
              inputMode={rule === "window" ? "text" : "decimal"}
              value={texts[rule]}
              onChange={(value) => setTexts((all) => ({ ...all, [rule]: value }))}
            />
          ))}
          <TextField
            name="from"
            label={t.word.from}
            type="datetime-local"
            optional
            value={from}
            onChange={setFrom}
          />
          <TextField
            name="to"
            label={t.word.to}
            type="datetime-local"
            optional
            value={to}
            onChange={setTo}
          />
        </div>
        <div className="dialog-buttons">
          <Button type="submit" variant="primary" busy={write.isPending}>
            {t.fraud.run}
          </Button>
        </div>
      </Form>
      {write.data !== undefined && <Result trial={write.data} />}
    </Section>
  )
}
