import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { Organization } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { fraud as english } from "../../i18n/en/fraud.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { latinDigits } from "../../i18n/limitWords.ts"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Badge, Code } from "../../ui/data.tsx"
import { ConfirmWrite } from "../../ui/confirmWrite.tsx"
import { Form, SelectField, TextField } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { Empty } from "../../ui/states.tsx"
import { Table } from "../../ui/table.tsx"
import { useNotify } from "../../ui/toasts.tsx"

const lists = ["blockedPrefixes", "allowedPrefixes"] as const

type List = (typeof lists)[number]

interface Row {
  readonly prefix: string
  readonly list: List
}

/** A list that has another prefix, or one less. */
const changeOf = (
  organization: Organization,
  list: List,
  change: (all: Set<string>) => unknown,
) => {
  const all = new Set(organization[list])
  change(all)
  return { [list]: [...all] }
}

const Add = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useTexts(english)
  const { isOperator } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const [typed, setTyped] = useState("")
  const [list, setList] = useState<List>("blockedPrefixes")
  const write = useWrite(api(""))
  const prefix = latinDigits(typed).trim().replace(/^\+/, "")
  const submit = () =>
    write.mutate(
      {
        method: "PATCH",
        path: api(""),
        body: changeOf(organization, list, (all) => all.add(prefix)),
      },
      {
        onSuccess: () => {
          notify(t.fraud.saved)
          setTyped("")
        },
      },
    )
  return (
    <Form className="filters" error={write.error} fields={[list]} onSubmit={submit}>
      <TextField
        name={list}
        label={t.fraud.newPrefix}
        inputMode="numeric"
        placeholder="88017"
        value={typed}
        onChange={setTyped}
      />
      {isOperator && (
        <SelectField
          name="list"
          label={t.fraud.effect}
          options={[
            { value: "blockedPrefixes", label: t.fraud.isBlocked },
            { value: "allowedPrefixes", label: t.fraud.isAllowed },
          ]}
          value={list}
          onChange={(next) =>
            setList(next === "allowedPrefixes" ? "allowedPrefixes" : "blockedPrefixes")
          }
        />
      )}
      <div className="filter-buttons">
        <Button type="submit" variant="primary" busy={write.isPending} disabled={prefix === ""}>
          {t.fraud.add}
        </Button>
      </div>
    </Form>
  )
}

/** Who has changed a list last. */
const useChanged = ({ changes }: Organization) => {
  const { format, t } = useTexts(english)
  return lists.flatMap((list) => {
    const found = changes.find(({ setting }) => setting === list)
    if (found === undefined) return []
    const time = format.minutes(found.changedAt)
    const name = list === "blockedPrefixes" ? t.fraud.blocked : t.fraud.allowed
    return [fill(t.fraud.changed, { list: name, name: found.changedBy, time })]
  })
}

/** The prefixes that are blocked, and those without fraud rules: one row each. */
export const PrefixLists = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useTexts(english)
  const { can, isOperator } = useSession()
  const { api } = useOrganization()
  const [removing, setRemoving] = useState<Row>()
  const changed = useChanged(organization)
  const rows = lists
    .flatMap((list) => organization[list].map((prefix): Row => ({ prefix, list })))
    .toSorted((a, b) => a.prefix.localeCompare(b.prefix))
  const mayChange = (list: List) =>
    can("organization.update") && (isOperator || list === "blockedPrefixes")
  return (
    <Section title={t.fraud.lists} intro={t.fraud.listsIntro}>
      {can("organization.update") && <Add organization={organization} />}
      {rows.length === 0 ? (
        <Empty title={t.fraud.listsEmpty} />
      ) : (
        <Table
          label={t.fraud.lists}
          rows={rows}
          rowKey={({ list, prefix }) => `${list} ${prefix}`}
          columns={[
            { key: "prefix", title: t.fraud.prefix, cell: ({ prefix }) => <Code>{prefix}</Code> },
            {
              key: "effect",
              title: t.fraud.effect,
              cell: ({ list }) =>
                list === "blockedPrefixes" ? (
                  <Badge tone="bad">{t.fraud.isBlocked}</Badge>
                ) : (
                  <Badge tone="good">{t.fraud.isAllowed}</Badge>
                ),
            },
            {
              key: "actions",
              title: t.word.actions,
              untitled: true,
              align: "end",
              cell: (row) =>
                mayChange(row.list) && (
                  <Button
                    className="small"
                    aria-label={fill(t.fraud.removeLabel, { prefix: row.prefix })}
                    onClick={() => setRemoving(row)}
                  >
                    {t.fraud.remove}
                  </Button>
                ),
            },
          ]}
        />
      )}
      {changed.length > 0 && <p className="table-note">{changed.join(" ")}</p>}
      {removing !== undefined && (
        <ConfirmWrite
          title={fill(t.fraud.removeTitle, { prefix: removing.prefix })}
          text={removing.list === "blockedPrefixes" ? t.fraud.unblockText : t.fraud.unallowText}
          action={t.fraud.remove}
          write={{
            method: "PATCH",
            path: api(""),
            body: changeOf(organization, removing.list, (all) => all.delete(removing.prefix)),
          }}
          stale={api("")}
          done={t.fraud.saved}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  )
}
